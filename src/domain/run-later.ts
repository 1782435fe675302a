// Files that somebody else's program runs by itself, sooner or later: whoever installs, builds, tests or opens the
// project next runs what stands in them, outside of any sandbox; and agents that come later do what its rules say. Unlike protected files they are part of many tasks. So
// in a tree of an agent's own they are written like any other, and shown first when the work is merged; in the
// project itself only where a scope names the very file, or a person says so for this one time.
import { folded } from "./protected-paths.ts";
import { normalizePath } from "./scopes.ts";

const words = (text: string): string[] => text.split(" ");

/** Lower case, at any depth. */
const FILES: ReadonlySet<string> = new Set([
  ...words("package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml pnpm-workspace.yaml yarn.lock bun.lock"),
  ...words("bun.lockb deno.json deno.jsonc deno.lock turbo.json nx.json lerna.json lefthook.yml lefthook.yaml"),
  ...words("makefile gnumakefile bsdmakefile justfile .justfile taskfile.yml taskfile.yaml taskfile.dist.yml rakefile"),
  ...words("cmakelists.txt meson.build sconstruct wscript build.xml build.gradle build.gradle.kts settings.gradle"),
  ...words(
    "settings.gradle.kts gradle.properties gradlew gradlew.bat mvnw mvnw.cmd pom.xml build.sbt cargo.toml build.rs",
  ),
  ...words(
    "build.zig pyproject.toml setup.py setup.cfg pipfile requirements.txt tox.ini noxfile.py conftest.py pytest.ini",
  ),
  ...words(
    "sitecustomize.py usercustomize.py gemfile gemfile.lock composer.json mix.exs package.swift flake.nix shell.nix",
  ),
  ...words("default.nix dockerfile containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml"),
  ...words("vagrantfile procfile module.bazel build.bazel workspace.bazel"),
]);

/**
 * What a project tells every agent, at any depth: the next one believes it like a word of the project's owner, here
 * (`AGENTS.md`) and in other programs.
 */
const RULES: ReadonlySet<string> = new Set(
  words("agents.md agents.override.md claude.md claude.local.md gemini.md qwen.md copilot-instructions.md"),
);

/** What a linter, a bundler or a test runner loads before anything else, and many editors when the folder is opened. */
const PATTERNS = [
  /^[\w.-]+\.config\.[cm]?[jt]s$/,
  /^\.[a-z]+rc\.[cm]?[jt]s$/,
  /^\.lintstagedrc(?:\.\w+)?$/,
  /\.gemspec$/,
];

/** All that lies in them: what was installed is run without being looked at again. */
const FOLDERS: ReadonlySet<string> = new Set(words("node_modules .venv venv __pypackages__ .tox .nox"));

/** Those that are names and not patterns, for programs that are told once and not asked; less what a scope opens. */
export const runLaterNames = (scopes: readonly string[]): string[] =>
  [...FOLDERS, ...FILES, ...RULES].filter((name) => runsLater(name, scopes) !== undefined);

const isFile = (name: string): boolean =>
  FILES.has(name) || RULES.has(name) || PATTERNS.some((pattern) => pattern.test(name));

/** Whether anything of this name can be one, wherever it lies. For those who look through many files. */
export const mayRunLater = (name: string): boolean => isRunLaterFolder(name) || isFile(folded(name));

export const isRunLaterFolder = (name: string): boolean => FOLDERS.has(folded(name));

/**
 * The file or folder that a write to this path would change, and that is run later; none where a scope names just that
 * one, or lies inside of it: then it was meant.
 */
export function runsLater(path: string, scopes: readonly string[]): string | undefined {
  const found = laterIn(path);
  if (found === undefined || scopes.some((scope) => laterIn(scope) === found)) return undefined;
  return found;
}

const MOST_OF_NAME = 60;

/**
 * For whoever is asked about a write to it: a call alone does not say what is the matter with it. The name is the agent's
 * choice, so there is no more of it than can be overlooked, and none of it that a screen would obey.
 */
export function whyRunLater(found: string): string {
  const file = found.slice(found.lastIndexOf("/") + 1);
  const name = JSON.stringify(file.slice(0, MOST_OF_NAME));
  if (RULES.has(file)) return `every agent that works here later is told what ${name} says, as the project's own word`;
  return `whoever installs, builds, tests or opens the project runs ${name}, outside of any sandbox`;
}

/** As far as the file or folder itself. */
function laterIn(path: string): string | undefined {
  const segments = normalizePath(folded(path)).split("/");
  const folder = segments.findIndex((name) => FOLDERS.has(name));
  if (folder !== -1) return segments.slice(0, folder + 1).join("/");
  return isFile(segments.at(-1) ?? "") ? segments.join("/") : undefined;
}
