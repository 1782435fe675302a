// An agent definition: the recipe, as a person writes it in our own format. Strict: a misspelt key fails.
// A field stands here only once it does something; NOT_YET names those that are known and still to come.
import * as z from "zod";
import { JsonObject } from "./json.ts";
import { McpServers } from "./mcp-server.ts";
import { Network, PermissionMode } from "./policy.ts";
import { Tape } from "./tape.ts";

export const AgentName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'agent names hold letters, digits, "_" and "-"');
export type AgentName = z.infer<typeof AgentName>;

export const BackendName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, "backend names are lower case");
export type BackendName = z.infer<typeof BackendName>;

export const Capability = z.enum(["primary", "subtask", "watcher", "orchestrator"]);
export type Capability = z.infer<typeof Capability>;

export const AgentInput = z.strictObject({
  name: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "input names are identifiers"),
  type: z.enum(["string", "number", "integer", "boolean"]).default("string"),
  description: z.string().optional(),
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
});
export type AgentInput = z.infer<typeof AgentInput>;

const Rules = z.array(z.string().min(1));

/**
 * Which tools: names or rules (`Bash(git diff *)`), canonical. A plain list is an allow list. A deny outranks
 * an ask, an ask an allow. Delegation tools are given only where they are named here.
 */
export const ToolList = z.union([
  Rules,
  z.strictObject({
    mode: z.enum(["allowlist", "denylist"]),
    allow: Rules.default([]),
    ask: Rules.default([]),
    deny: Rules.default([]),
  }),
]);
export type ToolList = z.infer<typeof ToolList>;

const Scopes = z.array(z.string().min(1));

export const WorkspaceBinding = z.strictObject({
  mode: z.enum(["shared", "worktree", "sandbox", "custom"]).default("shared"),
  path: z.string().optional(),
  allow_writes: z.boolean().default(false),
});
export type WorkspaceBinding = z.infer<typeof WorkspaceBinding>;

export const Effort = z.enum(["low", "medium", "high", "xhigh", "max"]);
export type Effort = z.infer<typeof Effort>;

/** What an agent may end by, besides its answer: each is a tool that it calls. */
export const Exit = z.enum(["complete_task", "message_user", "ask_for_help", "submit_for_review"]);
export type Exit = z.infer<typeof Exit>;

/** What must pass before a task is completed: a program that Cadre runs, or an agent that Cadre asks. */
export const GateWish = z.union([
  z.strictObject({ name: z.string().min(1).optional(), command: z.array(z.string().min(1)).min(1) }),
  z.strictObject({ name: z.string().min(1).optional(), agent: AgentName }),
]);
export type GateWish = z.infer<typeof GateWish>;

export const Completion = z.strictObject({
  /** An agent with exits may stop only by calling one of them. */
  exits: z.array(Exit).min(1).optional(),
  gates: z.array(GateWish).default([]),
  /** How often an agent that stops otherwise is told to go on. */
  nudges: z.int().min(0).max(20).default(3),
});
export type Completion = z.infer<typeof Completion>;

/** Where a definition came from, if somebody wrote it for another program. */
export const Source = z.strictObject({
  from: z.string().min(1),
  file: z.string().min(1),
  imported_at: z.iso.datetime({ offset: true }).optional(),
  sha256: z.string().optional(),
});
export type Source = z.infer<typeof Source>;

/** How people call an agent by hand: `connect` writes the slash as a command of the programs that have such. */
export const Triggers = z.strictObject({
  slash: z
    .string()
    .regex(/^\/?[a-z0-9][a-z0-9_-]{0,31}$/, "is a word of small letters, such as /oracle")
    .optional(),
  hotkey: z
    .string()
    .regex(/^(?:(?:Ctrl|Alt|Shift|Cmd|Meta)\+){1,3}[A-Za-z0-9]$/, "is such as Ctrl+Shift+P")
    .optional(),
});
export type Triggers = z.infer<typeof Triggers>;

/** Written by an agent. It runs only once a person has seen exactly this. */
export const Proposed = z.strictObject({ by: z.string().min(1).max(200), at: z.iso.datetime({ offset: true }) });
export type Proposed = z.infer<typeof Proposed>;

export const AgentDefinition = z.strictObject({
  name: AgentName,
  description: z.string().min(1),
  display_name: z.string().optional(),
  /** `remote` agents are not supported yet. */
  kind: z.literal("local").default("local"),
  capabilities: z.array(Capability).min(1).default(["subtask"]),
  backend: z.union([BackendName, z.array(BackendName).min(1)]).optional(),
  tape: Tape.optional(),
  /** The program of the `command` backend, and its arguments. The prompt is its standard input. */
  command: z.array(z.string().min(1)).min(1).optional(),
  /** `provider/model`, an alias, or `inherit`: the parent's, else `models.default`. */
  model: z.string().min(1).default("inherit"),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  effort: Effort.optional(),
  prompt: z.string().default(""),
  /** What the agent is first told, with its inputs filled in. Without it, the task's prompt. */
  query: z.string().min(1).optional(),
  inputs: z
    .array(AgentInput)
    .refine((inputs) => new Set(inputs.map(({ name }) => name)).size === inputs.length, "two inputs have one name")
    .default([]),
  output: z
    .strictObject({ name: z.string().optional(), description: z.string().optional(), schema: JsonObject })
    .optional(),
  tools: ToolList.optional(),
  mcp_servers: McpServers.optional(),
  permission_mode: PermissionMode.default("default"),
  policy: z
    .strictObject({
      fs: z.strictObject({ read: Scopes.optional(), write: Scopes.optional() }).optional(),
      network: Network.optional(),
      env: z.strictObject({ allow: z.array(z.string()) }).optional(),
    })
    .default({}),
  workspace: WorkspaceBinding.default({ mode: "shared", allow_writes: false }),
  max_turns: z.int().positive().optional(),
  timeout_mins: z.number().positive().optional(),
  max_output_kb: z.int().positive().optional(),
  max_tokens: z.int().positive().optional(),
  budget_usd: z.number().positive().max(1_000_000).optional(),
  completion: Completion.default({ gates: [], nudges: 3 }),
  /** Delegated to, it runs in the background unless the call says otherwise. */
  background: z.boolean().default(false),
  /** Which memories are put before it. */
  memory: z.enum(["none", "project", "user"]).default("project"),
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(10),
      on: z.array(z.enum(["backend_error", "backend_unavailable", "rate_limited", "crashed", "timeout"])),
    })
    .optional(),
  triggers: Triggers.optional(),
  source: Source.optional(),
  proposed: Proposed.optional(),
  /** What other programs' files said that has no place here, by program: `x-claude` in a file is `x.claude`. */
  x: z.record(z.string().regex(/^[a-z][a-z0-9-]*$/), JsonObject).default({}),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** Known fields that this version does not act on yet: refused by name, never ignored. */
export const NOT_YET = ["skills", "watch"] as const;
