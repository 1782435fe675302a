// One agent per kind of restriction, each as wide as can be but for that one, and how to tell whether it still holds.
// The judges here look at what was read back by themselves: they must not be the code that is tested.
import { decideCall } from "../../../src/domain/decide-call.ts";
import { BASELINE, policyOf } from "../../../src/domain/policy.ts";
import { AgentDefinition, type Decision, type Effect } from "../../../src/schema/index.ts";

interface Use {
  readonly tool: string;
  readonly effect: Effect;
  readonly path?: string;
  readonly host?: string;
  readonly agent?: string;
  readonly commands?: readonly string[];
}

const verdict = (definition: AgentDefinition, use: Use): Decision["verdict"] =>
  decideCall(policyOf(definition, { ...BASELINE, network: true }), use).verdict;

const RM: Use = { tool: "Bash", effect: "exec", commands: ["rm -rf x"] };
const EDIT: Use = { tool: "Edit", effect: "write", path: "src/a.ts" };
const FETCH: Use = { tool: "WebFetch", effect: "net", host: "example.org" };
const DELETE: Use = { tool: "mcp__github__delete", effect: "exec" };

/** A command reads and writes wherever its scopes let it. */
const isHeld = (back: AgentDefinition, scopes: readonly string[]): boolean =>
  verdict(back, RM) === "deny" || scopes.every((scope) => scope === "docs");

export interface Restriction {
  readonly kind: string;
  /** The field that a remark has to name where it is lost. */
  readonly field: string;
  readonly definition: AgentDefinition;
  readonly holds: (back: AgentDefinition) => boolean;
}

/** Everything is allowed, and it may be started in every role. */
const WIDE = {
  name: "probe",
  description: "Shows what becomes of a restriction",
  prompt: "Do it.",
  capabilities: ["primary", "subtask", "watcher"],
  permission_mode: "auto",
  workspace: { allow_writes: true },
  memory: "user",
} as const;

const restriction = (
  kind: string,
  field: string,
  change: object,
  holds: (back: AgentDefinition) => boolean,
): Restriction => ({ kind, field, definition: AgentDefinition.parse({ ...WIDE, ...change }), holds });

const denylist = (change: object) => ({ tools: { mode: "denylist", ...change } });
const atMost = (field: "max_turns" | "timeout_mins" | "max_output_kb" | "max_tokens" | "budget_usd", most: number) =>
  restriction(field, field, { [field]: most }, (back) => (back[field] ?? Infinity) <= most);

export const RESTRICTIONS: readonly Restriction[] = [
  restriction(
    "allowed tools",
    "tools",
    { tools: ["Read", "Grep"] },
    (back) => verdict(back, RM) === "deny" && verdict(back, EDIT) === "deny" && verdict(back, FETCH) === "deny",
  ),
  restriction("a denied tool", "tools", denylist({ deny: ["Bash"] }), (back) => verdict(back, RM) === "deny"),
  restriction("denied commands", "tools", denylist({ deny: ["Bash(rm *)"] }), (back) => verdict(back, RM) === "deny"),
  restriction(
    "allowed commands",
    "tools",
    { tools: ["Read", "Bash(git diff *)"] },
    (back) => verdict(back, RM) === "deny",
  ),
  restriction(
    "denied files",
    "tools",
    denylist({ deny: ["Edit(src/**)"] }),
    (back) => verdict(back, EDIT) === "deny" && verdict(back, { ...EDIT, tool: "Write" }) === "deny",
  ),
  restriction(
    "a tool that is asked for",
    "tools",
    denylist({ ask: ["Bash"] }),
    (back) => verdict(back, RM) !== "allow",
  ),
  restriction(
    "a denied MCP tool",
    "tools",
    denylist({ deny: ["mcp__github__delete"] }),
    (back) => verdict(back, DELETE) === "deny",
  ),
  restriction(
    "allowed MCP tools",
    "tools",
    { tools: ["Read", "mcp__github__search"] },
    (back) => verdict(back, DELETE) === "deny",
  ),
  restriction(
    "mode plan",
    "permission_mode",
    { permission_mode: "plan" },
    (back) => verdict(back, RM) === "deny" && verdict(back, EDIT) === "deny",
  ),
  restriction("mode denyUnasked", "permission_mode", { permission_mode: "denyUnasked" }, (back) =>
    [RM, EDIT, FETCH].every((use) => verdict(back, use) === "deny"),
  ),
  restriction("mode default", "permission_mode", { permission_mode: "default" }, (back) =>
    [RM, EDIT, FETCH].every((use) => verdict(back, use) !== "allow"),
  ),
  restriction("mode acceptEdits", "permission_mode", { permission_mode: "acceptEdits" }, (back) =>
    [RM, FETCH].every((use) => verdict(back, use) !== "allow"),
  ),
  restriction(
    "files to read",
    "policy.fs",
    { policy: { fs: { read: ["docs"] } } },
    (back) =>
      verdict(back, { tool: "Read", effect: "read", path: "src/a.ts" }) === "deny" &&
      isHeld(back, policyOf(back, BASELINE).fs.read),
  ),
  restriction(
    "files to write",
    "policy.fs",
    { policy: { fs: { write: ["docs"] } } },
    (back) => verdict(back, EDIT) === "deny" && isHeld(back, policyOf(back, BASELINE).fs.write),
  ),
  restriction(
    "no network",
    "policy.network",
    { policy: { network: false } },
    (back) => verdict(back, FETCH) === "deny" && verdict(back, RM) === "deny",
  ),
  restriction(
    "some hosts",
    "policy.network",
    { policy: { network: ["docs.example.com"] } },
    (back) => verdict(back, FETCH) === "deny" && verdict(back, RM) === "deny",
  ),
  restriction(
    "variables",
    "policy.env",
    { policy: { env: { allow: ["LANG"] } } },
    (back) => back.policy.env !== undefined && back.policy.env.allow.every((name) => name === "LANG"),
  ),
  restriction(
    "no writing",
    "workspace.allow_writes",
    { workspace: { allow_writes: false } },
    (back) => verdict(back, EDIT) === "deny" && isHeld(back, policyOf(back, BASELINE).fs.write),
  ),
  restriction(
    "a tree of its own",
    "workspace.mode",
    { workspace: { mode: "worktree", allow_writes: true } },
    (back) => back.workspace.mode === "worktree",
  ),
  atMost("max_turns", 7),
  atMost("timeout_mins", 3),
  atMost("max_output_kb", 10),
  atMost("max_tokens", 5000),
  atMost("budget_usd", 0.5),
  restriction(
    "gates",
    "completion.gates",
    { completion: { gates: [{ command: ["npm", "test"] }] } },
    (back) => back.completion.gates.length === 1,
  ),
  restriction(
    "exits",
    "completion.exits",
    { completion: { exits: ["complete_task"] } },
    (back) => back.completion.exits?.join() === "complete_task",
  ),
  restriction("roles", "capabilities", { capabilities: ["subtask"] }, (back) =>
    back.capabilities.every((role) => role === "subtask"),
  ),
  restriction("no memories", "memory", { memory: "none" }, (back) => back.memory === "none"),
  restriction("a program", "command", { command: ["true"] }, (back) => back.command?.join() === "true"),
];
