// Tools that people have written. Agents call them in their attempts; here they are a person's.
import * as z from "zod";
import { Effect, Json, JsonObject } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";

const Shelved = z.strictObject({
  name: z.string(),
  description: z.string(),
  effect: Effect,
  source: z.string(),
  trusted: z.boolean(),
  sha256: z.string(),
  inputSchema: JsonObject,
});

export const listTools = defineOperation({
  authority: "agent",
  summary: "List the tools that the project and its user have written.",
  input: z.strictObject({}),
  output: z.strictObject({
    tools: z.array(Shelved),
    problems: z.array(z.strictObject({ source: z.string(), message: z.string() })),
  }),
  async run({ tools }) {
    const found = await (await tools()).list();
    return { tools: [...found.tools], problems: [...found.problems] };
  },
});

export const runTool = defineOperation({
  authority: "person",
  summary: "Run a tool that the project or its user has written, outside of any agent.",
  input: z.strictObject({ tool: z.string().min(1), inputs: JsonObject.default({}) }),
  output: z.strictObject({ ok: z.boolean(), text: z.string(), json: Json.nullable() }),
  async run({ tools, engine, signal }, { tool, inputs }) {
    const { custody, liveness, mint } = engine.parts;
    // No task: the id is only the mark by which what is left of it would be found.
    const keep = (await custody()).open({ worker: liveness.self.id, task: mint.id("task"), attempt: 1 });
    try {
      return await (await tools()).run(tool, inputs, keep, signal);
    } finally {
      await keep.endAll();
    }
  },
});

export const createTool = defineOperation({
  authority: "person",
  summary: "Write the manifest of a new tool, to be edited.",
  input: z.strictObject({ name: z.string().min(1), scope: z.enum(["project", "user"]).default("project") }),
  output: z.strictObject({ file: z.string() }),
  run: async ({ tools }, { name, scope }) => (await tools()).create(name, scope),
});
