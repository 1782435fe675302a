// What an agent may do, asked of our own rules: the judge of what readers and writers make of a file.
import { decideCall } from "../../../src/domain/decide-call.ts";
import { BASELINE, policyOf } from "../../../src/domain/policy.ts";
import type { AgentDefinition, Decision, Effect } from "../../../src/schema/index.ts";

export interface Use {
  readonly tool: string;
  readonly effect: Effect;
  readonly path?: string;
  readonly commands?: readonly string[];
  readonly host?: string;
}

const PATHS = ["a.ts", "src/a.ts", "src/deep/b.ts", "docs/x.md", "secrets/key.pem"];
const COMMANDS = ["git diff", "git diff --stat", "git push", "rm -rf x", "npm test", "ls"];

const PATH_USES = (["Read", "Grep", "Glob", "List", "Edit", "Write"] as const).flatMap((tool) =>
  PATHS.map((path): Use => ({ tool, effect: tool === "Edit" || tool === "Write" ? "write" : "read", path })),
);

export const USES: readonly Use[] = [
  ...PATH_USES,
  ...COMMANDS.map((command): Use => ({ tool: "Bash", effect: "exec", commands: [command] })),
  { tool: "WebFetch", effect: "net", host: "example.org" },
  { tool: "WebSearch", effect: "net" },
  { tool: "TodoWrite", effect: "none" },
  { tool: "mcp__github__search", effect: "exec" },
  { tool: "mcp__github__delete", effect: "exec" },
  { tool: "mcp__other__thing", effect: "exec" },
];

export type Verdict = Decision["verdict"];

/** Where the user's settings open the network. */
export const verdictOf = (definition: AgentDefinition, use: Use): Verdict =>
  decideCall(policyOf({ ...definition, policy: { ...definition.policy, network: true } }, BASELINE), use).verdict;

const RANK: Readonly<Record<Verdict, number>> = { deny: 0, ask: 1, allow: 2 };

export const isWider = (a: Verdict, b: Verdict): boolean => RANK[a] > RANK[b];

export const show = ({ tool, path, commands }: Use): string => `${tool} ${path ?? commands?.[0] ?? ""}`.trim();
