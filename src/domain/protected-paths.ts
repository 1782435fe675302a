// Files that decide what other programs run later: writing one is more than writing a file. They stay closed
// whatever the scopes say, unless a scope lies inside of them: that one was meant.
import { isWithin, normalizePath } from "./scopes.ts";

interface Guarded {
  /** Lower case; matched at any depth, one after the other. */
  readonly segments: readonly string[];
  /** No scope opens it, or only these below it: what lies there would widen the rights of who writes it. */
  readonly opens: "any" | readonly string[];
}

/** What of Cadre's own home an attempt may be given: its plan and the common folder. */
const OF_A_HOME = ["workspace", "plans"] as const;

const closed = (...segments: readonly string[]): Guarded => ({ segments, opens: [] });
const guarded = (...segments: readonly string[]): Guarded => ({ segments, opens: "any" });

const GUARDED: readonly Guarded[] = [
  // Git: hooks, config, attributes and all else; for worktrees and submodules `.git` is a file.
  closed(".git"),
  closed("git~1"),
  { segments: [".cadre"], opens: OF_A_HOME },
  ...[".gitmodules", ".gitconfig", ".gitattributes"].map((name) => guarded(name)),
  // Agents and editors.
  ...[".agents", ".aider", ".amazonq", ".claude", ".cline", ".clinerules", ".codeium", ".codex"].map((n) => guarded(n)),
  ...[".amp", ".continue", ".cursor", ".factory", ".gemini", ".gen", ".glee", ".goose", ".kiro"].map((n) => guarded(n)),
  ...[".opencode", ".qwen", ".roo", ".windsurf", ".yeet", ".zed", ".idea", ".vscode"].map((n) => guarded(n)),
  ...[".claude.json", ".aider.conf.yml", ".cursorrules", ".goosehints", ".roomodes"].map((n) => guarded(n)),
  ...[".mcp.json", "mcp.json", ".windsurfrules", "opencode.json", "opencode.jsonc"].map((n) => guarded(n)),
  ...[".devcontainer", ".devcontainer.json", ".fleet", ".vim", ".vimrc", ".exrc", ".nvimrc"].map((n) => guarded(n)),
  // Services that run what a repository says.
  guarded(".github", "workflows"),
  guarded(".github", "actions"),
  guarded(".github", "agents"),
  guarded(".gitea", "workflows"),
  guarded(".forgejo", "workflows"),
  ...[".gitlab-ci.yml", ".circleci", ".buildkite", ".husky", ".pre-commit-config.yaml"].map((n) => guarded(n)),
  ...["jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".travis.yml"].map((n) => guarded(n)),
  ...[".drone.yml", ".woodpecker", ".woodpecker.yml", "appveyor.yml", ".appveyor.yml"].map((n) => guarded(n)),
  ...["cloudbuild.yaml", "cloudbuild.yml"].map((n) => guarded(n)),
  // Shells, package managers and other tools that read a file before they do anything.
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"].map((n) => guarded(n)),
  ...[".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".inputrc"].map((n) => guarded(n)),
  ...[".envrc", ".direnv", ".tool-versions", ".mise.toml", "mise.toml"].map((n) => guarded(n)),
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".netrc", ".pypirc", ".gemrc"].map((n) => guarded(n)),
  ...[".yarn", ".pnp.cjs", ".pnp.loader.mjs", "bunfig.toml", ".bundle", ".cargo", ".mvn"].map((n) => guarded(n)),
  ...[".bazelrc", ".condarc", "pip.conf"].map((n) => guarded(n)),
  ...[".ripgreprc", ".curlrc", ".wgetrc", ".ssh", ".gnupg", ".aws", ".kube", ".docker"].map((n) => guarded(n)),
];

/** All of them, for programs that are told once and not asked. Two segments are joined by "/". */
export const PROTECTED_NAMES: readonly string[] = GUARDED.map(({ segments }) => segments.join("/"));

/**
 * The protected file or folder that a write to this path would touch, where no scope opens it. `homes` are
 * folders of Cadre's own state, where they are not called `.cadre`.
 */
export function protectedBy(
  path: string,
  scopes: readonly string[],
  homes: readonly string[] = [],
): string | undefined {
  const around = scopes.filter((scope) => isWithin(path, scope)).map((scope) => guardsOf(scope, homes));
  const isOpen = ({ name }: Guard): boolean =>
    around.some((guards) => guards.some((guard) => guard.name === name && opens(guard)));
  return guardsOf(path, homes).find((guard) => !isOpen(guard))?.name;
}

const LAST_NAMES: ReadonlySet<string> = new Set(GUARDED.flatMap(({ segments }) => segments.slice(-1)));

/** Whether anything of this name can be protected, wherever it lies. For those who look through many files. */
export const mayBeProtected = (name: string): boolean => LAST_NAMES.has(folded(name));

interface Guard {
  /** As far as the protected file or folder itself. */
  readonly name: string;
  readonly below: readonly string[];
  readonly opens: Guarded["opens"];
}

/** All on the way down: an open folder may hold another that is not. */
function guardsOf(path: string, homes: readonly string[]): Guard[] {
  const segments = segmentsOf(path);
  const guard = (end: number, opening: Guarded["opens"]): Guard => ({
    name: segments.slice(0, end).join("/"),
    below: segments.slice(end),
    opens: opening,
  });
  const ofHomes = homes
    .map(segmentsOf)
    .filter((home) => isWithin(segments.join("/"), home.join("/")))
    .map((home) => guard(home.length, OF_A_HOME));
  const named = [...segments.keys()].flatMap((at) =>
    GUARDED.filter((one) => one.segments.every((name, index) => segments[at + index] === name)).map((one) =>
      guard(at + one.segments.length, one.opens),
    ),
  );
  return [...ofHomes, ...named];
}

function opens({ opens: opening, below }: Guard): boolean {
  if (opening === "any") return true;
  const [first, ...rest] = below;
  // Of the plans only single ones: each belongs to one task.
  return first !== undefined && opening.includes(first) && (first !== "plans" || rest.length === 1);
}

/** File systems that do not tell case, or leave these characters out, must not make another name of one. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

export const folded = (text: string): string => text.normalize("NFC").replace(IGNORED, "").toLowerCase();

/** As file systems might see it. */
export const segmentsOf = (path: string): string[] => normalizePath(folded(path)).split("/");
