// An agent definition: the recipe, as a person writes it in our own format. Strict: a misspelt key fails.
// A field stands here only once it does something; NOT_YET names those that are known and still to come.
import * as z from "zod";
import { JsonObject } from "./json.ts";
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

const ToolList = z.union([
  z.array(z.string()),
  z.strictObject({
    mode: z.enum(["allowlist", "denylist"]),
    allow: z.array(z.string()).default([]),
    deny: z.array(z.string()).default([]),
  }),
]);

const Scopes = z.array(z.string().min(1));

export const WorkspaceBinding = z.strictObject({
  mode: z.enum(["shared", "worktree", "sandbox", "custom"]).default("shared"),
  path: z.string().optional(),
  allow_writes: z.boolean().default(false),
});
export type WorkspaceBinding = z.infer<typeof WorkspaceBinding>;

export const AgentDefinition = z.strictObject({
  name: AgentName,
  description: z.string().min(1),
  display_name: z.string().optional(),
  capabilities: z.array(Capability).min(1).default(["subtask"]),
  backend: z.union([BackendName, z.array(BackendName).min(1)]).optional(),
  tape: Tape.optional(),
  /** The program of the `command` backend, and its arguments. The prompt is its standard input. */
  command: z.array(z.string().min(1)).min(1).optional(),
  prompt: z.string().default(""),
  inputs: z
    .array(AgentInput)
    .refine((inputs) => new Set(inputs.map(({ name }) => name)).size === inputs.length, "two inputs have one name")
    .default([]),
  output: z
    .strictObject({ name: z.string().optional(), description: z.string().optional(), schema: JsonObject })
    .optional(),
  tools: ToolList.optional(),
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
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(10),
      on: z.array(z.enum(["backend_error", "backend_unavailable", "rate_limited", "crashed", "timeout"])),
    })
    .optional(),
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** Known fields that this version does not act on yet: refused by name, never ignored. */
export const NOT_YET = [
  "kind",
  "backends",
  "model",
  "temperature",
  "top_p",
  "effort",
  "query",
  "mcp_servers",
  "skills",
  "completion",
  "background",
  "memory",
  "watch",
  "triggers",
  "source",
] as const;
