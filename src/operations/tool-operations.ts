// Tools that people have written. Agents call them in their attempts; here they are a person's.
import * as z from "zod";
import { authorityDenied, invalidInput } from "../errors/index.ts";
import { Effect, Json, JsonObject, NewTool } from "../schema/index.ts";
import { defineOperation } from "./operation.ts";
import { Created, problemsIn, proposedBy, TO_BE_EDITED } from "./proposals.ts";

const Shelved = z.strictObject({
  name: z.string(),
  description: z.string(),
  effect: Effect,
  source: z.string(),
  trusted: z.boolean(),
  /** What nobody has seen yet of it: agents do not get it before that. */
  unseen: z.array(z.string()).optional(),
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
    const shown = found.tools.map(({ pin: _pin, proposed: _proposed, unseen, ...tool }) => ({
      ...tool,
      ...(unseen === undefined ? {} : { unseen: [...unseen] }),
    }));
    return { tools: shown, problems: [...found.problems] };
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
  authority: "agent",
  summary: "Write the manifest of a new tool. What an agent writes runs only once a person has agreed to it.",
  input: NewTool.partial().extend({ name: z.string().min(1), scope: z.enum(["project", "user"]).default("project") }),
  output: Created,
  async run({ tools, caller, engine }, { scope, ...wish }) {
    const proposed = proposedBy(caller, engine.parts.clock);
    if (Object.keys(wish).length === 1) {
      if (proposed !== null) throw authorityDenied("tool.create", TO_BE_EDITED);
      return { ...(await (await tools()).create(wish.name, scope)), waits: false };
    }
    const whole = NewTool.safeParse(wish);
    if (!whole.success) throw invalidInput(`no tool can be made of that: ${problemsIn(whole.error)}`);
    // Not into the user's own: what lies there is theirs for every project.
    const where = proposed === null ? scope : "project";
    return { ...(await (await tools()).write(whole.data, where, proposed)), waits: proposed !== null };
  },
});
