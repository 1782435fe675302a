// What an attempt may do. A child's policy is the intersection with its parent's (domain/policy.ts).
import * as z from "zod";

export const PermissionMode = z.enum(["plan", "denyUnasked", "default", "acceptEdits", "auto"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

export const Effect = z.enum(["read", "write", "exec", "net", "delegate", "none"]);
export type Effect = z.infer<typeof Effect>;

/** What a host that is itself confined lets its sub-agents do at the most (domain/ceilings.ts). */
export const Ceiling = z.enum(["read-only", "workspace-write"]);
export type Ceiling = z.infer<typeof Ceiling>;

/** One author's word on tools: `allow: null` is every tool. A deny outranks an ask, an ask an allow. */
export const ToolRules = z.strictObject({
  from: z.string(),
  allow: z.array(z.string()).nullable(),
  ask: z.array(z.string()),
  deny: z.array(z.string()),
});
export type ToolRules = z.infer<typeof ToolRules>;

export const Network = z.union([z.boolean(), z.array(z.string())]);
export type Network = z.infer<typeof Network>;

export const Policy = z.strictObject({
  // Layers, one per author (user, agent, parent…). A call must pass every one of them, so adding a
  // layer can only narrow: intersection needs no algebra on modes or patterns.
  modes: z.array(PermissionMode),
  tools: z.array(ToolRules),
  // Path prefixes, absolute or relative to the project. "." is the whole project.
  fs: z.strictObject({ read: z.array(z.string()), write: z.array(z.string()) }),
  network: Network,
  env: z.strictObject({ allow: z.array(z.string()) }),
  // Rules by which the user lets calls through that a mode would ask about. Never against a rule or a denial.
  // Logs of 0.1.0 have none.
  grants: z.array(z.string()).default([]),
  // Whether a person is asked before an agent starts another one. Logs of 0.1.0 have nothing about it.
  spawn: z.enum(["allow", "ask"]).default("allow"),
});
export type Policy = z.infer<typeof Policy>;

export const Decision = z.strictObject({
  verdict: z.enum(["allow", "ask", "deny"]),
  /** Which rule decided, in words that a person can find again: `agent: deny Bash`, `mode plan`. */
  rule: z.string(),
});
export type Decision = z.infer<typeof Decision>;
