// Gemini CLI's own settings and policy, written anew for every start. Its policy engine has a tier that no settings of a
// project outrank: there everything is denied but what ours allows.
import { stringify } from "smol-toml";
import { nameIn } from "../../domain/tool-names.ts";
import type { OwnFiles } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { allowanceOf } from "../cli/allowance.ts";
import type { OwnServer } from "../cli/cli.ts";
import { SERVER_OF_ATTEMPT } from "../own-tools/server-name.ts";
import { PROTECTED_NAMES } from "../../domain/protected-paths.ts";
import { runLaterNames } from "../../domain/run-later.ts";
import { isOwnTree } from "../../domain/scopes.ts";

/** Read where it reads its own memory: beside its system prompt, which stays. */
export const INSTRUCTIONS = "CADRE.md";

export function geminiTools(spec: TaskSpec): string[] {
  return [...allowanceOf(spec.policy).tools].flatMap((tool) => nameIn("gemini", tool) ?? []);
}

/** Whether the policy lets it write its own files, whatever else it may not. */
const writesOwn = (spec: TaskSpec, { scopes }: Pick<OwnFiles, "scopes">): boolean => {
  const { write } = allowanceOf(spec.policy);
  return scopes.length > 0 && scopes.every((scope) => write.includes(scope));
};

/** With those that write its own files, which its policy then keeps to these. */
const coreTools = (spec: TaskSpec, files: OwnFiles): string[] => [
  ...new Set([...geminiTools(spec), ...(writesOwn(spec, files) ? WRITING : [])]),
];

export function geminiSettings(spec: TaskSpec, hasKey: boolean, own: OwnServer | undefined, files: OwnFiles): string {
  return JSON.stringify({
    security: {
      auth: { selectedType: hasKey ? "gemini-api-key" : "oauth-personal" },
      environmentVariableRedaction: { enabled: true },
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: 2,
      checkpointing: { enabled: false },
    },
    advanced: { ignoreLocalEnv: true },
    hooksConfig: { enabled: false },
    skills: { enabled: false },
    experimental: { enableAgents: false },
    ide: { enabled: false },
    admin: { mcp: { enabled: own !== undefined }, extensions: { enabled: false }, skills: { enabled: false } },
    tools: { core: coreTools(spec, files), sandbox: false, shell: { enableInteractiveShell: false } },
    ...(own === undefined ? {} : { mcpServers: { [SERVER_OF_ATTEMPT]: ownServer(own) } }),
    context: { fileName: INSTRUCTIONS, includeDirectoryTree: false },
    model: { maxSessionTurns: spec.limits.maxTurns },
  });
}

const LONGEST_TIMER_MS = 2_000_000_000; // some three weeks: more does not fit a timer

/** It puts the token in by itself: no file holds it. A call may wait for a person. */
const ownServer = ({ url }: OwnServer): object => ({
  httpUrl: url,
  headers: { Authorization: "Bearer $CADRE_TOKEN" },
  timeout: LONGEST_TIMER_MS,
  trust: true,
});

const WRITING = ["write_file", "replace"];

const anyCase = (name: string): string =>
  name.replaceAll(/[a-z.]/g, (one) => (one === "." ? "\\." : `[${one}${one.toUpperCase()}]`));

/** A path with one of these names in it, wherever; tested against the arguments as JSON. */
const pathWith = (names: readonly string[]): string => `"file_path":"([^"]*/|)(${names.map(anyCase).join("|")})[/"]`;

/** Patterns that are long, or that repeat a group, are not taken: it leaves out the rule, and says so on its way only. */
const NAMES_IN_ONE = 10;
const pathsWith = (names: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(names.length / NAMES_IN_ONE) }, (_, index) =>
    pathWith(names.slice(index * NAMES_IN_ONE, (index + 1) * NAMES_IN_ONE)),
  );

const closedFiles = ({ workspace, policy }: TaskSpec): string[] =>
  pathsWith([...PROTECTED_NAMES, ...(isOwnTree(workspace) ? [] : runLaterNames(policy.fs.write))]);

const escaped = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^A-Za-z0-9_/ -]/g, "\\$&");

/** Its plan, and files right in its folder: a name without a slash leads nowhere else. */
const ownFiles = ({ plan, folder }: Pick<OwnFiles, "plan" | "folder">, root: string): string[] => {
  const inRoot = (path: string): string =>
    path.startsWith(`${root}/`) ? `(${escaped(root)}/|)${escaped(path.slice(root.length + 1))}` : escaped(path);
  return [`"file_path":"${inRoot(plan)}"`, `"file_path":"${inRoot(folder)}/[A-Za-z0-9_][A-Za-z0-9_. -]*"`];
};

export function geminiPolicy(spec: TaskSpec, own: OwnServer | undefined, files: OwnFiles, root: string): string {
  const tools = geminiTools(spec);
  const open = { decision: "allow", priority: 900, allowRedirection: true };
  return stringify({
    rule: [
      { toolName: "*", decision: "deny", priority: 1 },
      ...closedFiles(spec).map((argsPattern) => ({ toolName: WRITING, argsPattern, decision: "deny", priority: 950 })),
      ...(writesOwn(spec, files) ? ownFiles(files, root) : []).map((argsPattern) => ({
        toolName: WRITING,
        argsPattern,
        decision: "allow",
        priority: 960,
      })),
      ...(tools.length === 0 ? [] : [{ toolName: tools, ...open }]),
      ...(own === undefined ? [] : [{ mcpName: SERVER_OF_ATTEMPT, toolName: "*", decision: "allow", priority: 900 }]),
    ],
  });
}
