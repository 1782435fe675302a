// A new agent or tool, as somebody asks for it. What an agent asks for is written down, and does nothing until a person
// has agreed to it.
import * as z from "zod";
import { AgentInput, AgentName, type Proposed } from "./agent.ts";

const Description = z.string().trim().min(1).max(1000).describe("what it is for and when to use it, in a sentence");
const Inputs = z
  .array(AgentInput)
  .max(50)
  .describe("what it takes: each a name, a type and a description; ${name} stands for the value");

export const NewAgent = z.strictObject({
  name: AgentName.describe("letters, digits, _ and -"),
  description: Description,
  prompt: z.string().trim().min(1).max(100_000).describe("its instructions, as a system prompt"),
  tools: z
    .array(z.string().min(1).max(200))
    .max(100)
    .optional()
    .describe("the tools that it may use, such as Read or Grep"),
  permission_mode: z.enum(["plan", "default"]).optional().describe("plan: it only reads"),
  model: z.string().min(1).max(200).optional(),
  max_turns: z.int().min(1).max(1000).optional(),
  timeout_mins: z.number().positive().max(1440).optional(),
  inputs: Inputs.optional(),
});
export type NewAgent = z.infer<typeof NewAgent>;

export const NewTool = z.strictObject({
  name: z.string().min(1).max(64).describe("begins with a letter; letters, digits, _ and -"),
  description: Description,
  command: z
    .array(z.string().min(1).max(4096))
    .min(1)
    .max(200)
    .describe("the program and its arguments; ${input} stands for a value; ./name is the script below"),
  inputs: Inputs.optional(),
  script: z
    .strictObject({
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "is a plain name of a file"),
      text: z.string().min(1).max(64_000),
    })
    .optional()
    .describe("a file of its own, beside its manifest"),
  stdin: z.enum(["none", "json"]).optional(),
  timeout_ms: z.int().min(100).max(600_000).optional(),
  effect: z.enum(["read", "write", "exec", "net"]).optional().describe("the widest that it does"),
  output: z.enum(["text", "json"]).optional(),
});
export type NewTool = z.infer<typeof NewTool>;

/** Null: a person's own, who has seen what they wrote. */
export type ProposedBy = Proposed | null;
