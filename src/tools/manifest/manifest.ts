// What a `tool.yml` may say. Strict, because a person writes it: a misspelt key must fail, not be ignored.
import * as z from "zod";
import { TOOLS } from "../../domain/tool-names.ts";
import { AgentInput, Proposed } from "../../schema/index.ts";

const TAKEN: ReadonlySet<string> = new Set(TOOLS.map((name) => name.toLowerCase()));

export const ManifestName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, 'names of tools begin with a letter and hold letters, digits, "_" and "-"')
  .refine((name) => !TAKEN.has(name.toLowerCase()), "a tool of Cadre's own has this name")
  .refine((name) => !name.startsWith("mcp__"), "names that begin with mcp__ belong to MCP servers");

const Variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "not a name of a variable");

export const Manifest = z.strictObject({
  name: ManifestName,
  description: z.string().trim().min(1).max(2000),
  inputs: z
    .array(AgentInput)
    .max(50)
    .refine((inputs) => new Set(inputs.map(({ name }) => name)).size === inputs.length, "two inputs have one name")
    .default([]),
  /** The program and its arguments. `${input}` stands for a value, which stays within its argument. */
  command: z.array(z.string().min(1)).min(1).max(200),
  stdin: z.union([z.enum(["none", "json"]), z.strictObject({ text: z.string() })]).default("none"),
  /** Variables that the program sees besides PATH, HOME and LANG, where the policy allows them. */
  env: z.array(Variable).max(50).default([]),
  timeout_ms: z.int().min(100).max(600_000).default(60_000),
  effect: z.enum(["read", "write", "exec", "net"]).default("exec"),
  output: z.enum(["text", "json"]).default("text"),
  max_output_kb: z.int().min(1).max(1024).default(100),
  proposed: Proposed.optional(),
});
export type Manifest = z.infer<typeof Manifest>;
