// Uses of tools to ask two agents about: whether one may do what the other may not shows in the answers. They are
// taken from what both say themselves, so that every rule and every scope of either is put to both.
import type { ToolUse } from "../../domain/decide-call.ts";
import { alternatives } from "../../domain/globs.ts";
import { TOOL_EFFECTS, type ToolName, TOOLS } from "../../domain/tool-names.ts";
import { parseRule } from "../../domain/tool-rules.ts";
import type { AgentDefinition, Effect } from "../../schema/index.ts";

const PATHS = ["a.ts", "src/a.ts", "src/deep/b.ts", "docs/x.md", ".env", "../up.ts", "/etc/passwd", "/tmp/x"];
const COMMANDS = ["ls", "git status", "git diff --stat", "rm -rf x", "npm test", "curl example.org"];
const HOSTS = ["example.org", "api.example.org"];
const AGENTS = ["reviewer", "other"];
const OTHERS = ["mcp__github__search", "mcp__other__thing"];
const ANY_EFFECT: readonly Effect[] = ["read", "write", "exec", "net", "none"];

/** More than people write: asking about all of it would take too long. */
const MOST_RULES = 300;
const MOST_WORK = 20_000_000;

/** Every probe is held against every rule, and against each of its alternatives (`{a,b}`). */
const workOf = (rules: readonly { readonly text: string }[]): number =>
  rules.reduce((sum, { text }) => sum + text.length * text.split(",").length, 0);

export const rulesOf = ({ tools }: AgentDefinition): readonly string[] =>
  tools === undefined ? [] : Array.isArray(tools) ? tools : [...tools.allow, ...tools.ask, ...tools.deny];

/** Undefined: there is too much to ask about. */
export function probesFor(...definitions: readonly AgentDefinition[]): readonly ToolUse[] | undefined {
  const rules = [...new Set(definitions.flatMap(rulesOf))].map(parseRule);
  if (rules.length > MOST_RULES) return undefined;
  const specs = (fits: (name: string) => boolean): string[] =>
    rules.flatMap(({ name, spec }) => (typeof spec === "string" && fits(name) ? [spec] : []));
  const scopes = definitions.flatMap(({ policy }) => [...(policy.fs?.read ?? []), ...(policy.fs?.write ?? [])]);
  const hosts = definitions.flatMap(({ policy }) => (Array.isArray(policy.network) ? policy.network : []));
  const samples: Samples = {
    paths: unique([...PATHS, ...[...specs(isPathTool), ...scopes].flatMap(pathsLike)]),
    commands: unique([...COMMANDS, ...specs((name) => name === "Bash").flatMap(textsLike)]),
    hosts: unique([...HOSTS, ...[...specs(isNetTool).map(withoutDomain), ...hosts].flatMap(hostsLike)]),
    agents: unique([...AGENTS, ...specs((name) => name === "Task").flatMap(textsLike)]),
  };
  const unknown = rules.filter(({ name }) => !isOwn(name)).flatMap(({ name }) => namesLike(name));
  const probes = [
    ...TOOLS.flatMap((tool) => usesOf(tool, samples)),
    ...unique([...OTHERS, ...unknown]).flatMap((tool) => ANY_EFFECT.map((effect) => ({ tool, effect, path: "a.ts" }))),
  ];
  return probes.length * workOf(rules) > MOST_WORK ? undefined : probes;
}

interface Samples {
  readonly paths: readonly string[];
  readonly commands: readonly string[];
  readonly hosts: readonly string[];
  readonly agents: readonly string[];
}

function usesOf(tool: ToolName, { paths, commands, hosts, agents }: Samples): ToolUse[] {
  const effect = TOOL_EFFECTS[tool];
  if (tool === "Bash") {
    return [
      ...[true, false].map((isReadOnly) => ({ tool, effect, commands: ["ls"], isReadOnly })),
      ...commands.map((command) => ({ tool, effect, commands: [command] })),
      ...commands.map((command) => ({ tool, effect, commands: [command, "rm -rf x"] })),
      { tool, effect, commands: null },
    ];
  }
  if (isPathTool(tool)) return [{ tool, effect }, ...paths.map((path) => ({ tool, effect, path }))];
  if (effect === "net") return [{ tool, effect }, ...hosts.map((host) => ({ tool, effect, host }))];
  if (tool === "Task") return agents.map((agent) => ({ tool, effect, agent }));
  return [{ tool, effect }];
}

const isOwn = (name: string): boolean => Object.hasOwn(TOOL_EFFECTS, name);
const isPathTool = (name: string): boolean =>
  isOwn(name) && ["Read", "Write", "Edit", "Glob", "Grep", "List"].includes(name);
const isNetTool = (name: string): boolean => name === "WebFetch" || name === "HttpRequest";
const withoutDomain = (spec: string): string => spec.replace(/^domain:\s*/, "");
const unique = (words: readonly string[]): string[] => [...new Set(words)];

/** What stands for a wildcard: nothing, a bit, a word apart. */
const STANDINS = ["", "x", " x", "x y"];

function textsLike(pattern: string): string[] {
  const spaced = pattern.replace(/:\*$/, " *");
  return STANDINS.map((one) => spaced.replaceAll("*", one).replaceAll("?", "x").replace(/\s+/g, " ").trim()).filter(
    (text) => text !== "",
  );
}

function pathsLike(pattern: string): string[] {
  return (alternatives(pattern) ?? [pattern]).flatMap((one) => {
    const deep = one.replaceAll("**", "x/y").replaceAll("*", "x").replaceAll("?", "x");
    const shallow = one.replaceAll("**/", "").replaceAll("*", "x").replaceAll("?", "x");
    return [deep, shallow, `${deep}/below.ts`].filter((path) => path !== "");
  });
}

const hostsLike = (host: string): string[] => {
  const bare = host.replace(/^\*\./, "");
  return [bare, `below.${bare}`];
};

/** `mcp__github` means all of its tools. */
const namesLike = (name: string): string[] => {
  const plain = name.replaceAll("*", "x");
  return plain.startsWith("mcp__") ? [plain, `${plain}__x`] : [plain];
};
