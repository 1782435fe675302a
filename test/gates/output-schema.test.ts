import { describe, expect, test } from "vitest";
import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import type { Attempt, AttemptScope, GateVerdict } from "../../src/ports/index.ts";
import type { Json, JsonObject, TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine } from "../../src/testing/index.ts";

const taskWith = (schema: JsonObject | undefined): TaskView =>
  ({ spec: { definition: schema === undefined ? {} : { output: { schema } } } }) as TaskView;

const check = async (schema: JsonObject, output: Json | undefined): Promise<GateVerdict> => {
  const [gate] = outputSchemaGates(taskWith(schema));
  if (gate === undefined) throw new Error("no gate");
  return gate.check({ task: taskWith(schema) } as Attempt, { answer: "done", output }, {} as AttemptScope);
};

const person: JsonObject = {
  type: "object",
  required: ["name", "age"],
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
};

const feedbackOf = (verdict: GateVerdict): string => (verdict.passed ? "" : verdict.feedback);

describe("the output schema", () => {
  test("applies to agents that declare one", () => {
    expect(outputSchemaGates(taskWith(person))).toHaveLength(1);
    expect(outputSchemaGates(taskWith(undefined))).toHaveLength(0);
  });

  test("passes what fits, which the agent could prepare: so it is checked, not verified", async () => {
    expect(await check(person, { name: "Ada", age: 36 })).toEqual({ passed: true, independent: false });
  });

  test("says of every part what is wrong and what would be right", async () => {
    const verdict = await check(person, { age: "36" });
    expect(verdict).toMatchObject({ passed: false, reason: "invalid_output" });
    expect(feedbackOf(verdict)).toBe("the output must have required property 'name'; output.age must be integer");
  });

  test("names the place of what is deep inside", async () => {
    const schema = { type: "object", properties: { list: { type: "array", items: { type: "number", maximum: 3 } } } };
    expect(feedbackOf(await check(schema, { list: [1, 5] }))).toBe("output.list.1 must be <= 3");
  });

  test("shows the first few problems of many", async () => {
    const verdict = await check(
      { type: "array", items: { type: "string" } },
      Array.from({ length: 500 }, () => 1),
    );
    expect(feedbackOf(verdict).split("; ")).toHaveLength(5);
  });

  test("refuses an answer without any output", async () => {
    const verdict = await check(person, undefined);
    expect(verdict).toMatchObject({
      passed: false,
      reason: "invalid_output",
      feedback: expect.stringContaining("no output"),
    });
  });

  test("takes null for an output like any other", async () => {
    expect(await check({ type: "null" }, null)).toMatchObject({ passed: true });
    expect(await check(person, null)).toMatchObject({ passed: false });
  });

  test("keeps agents apart that share the gate", async () => {
    expect(await check({ type: "string" }, "text")).toMatchObject({ passed: true });
    expect(await check({ type: "number" }, "text")).toMatchObject({ passed: false });
    expect(await check({ type: "string" }, "text")).toMatchObject({ passed: true });
  });
});

describe("the output schema in a task", () => {
  test("a model is told what was wrong, and its next answer counts", async () => {
    await using engine = await startEngine({
      gates: outputSchemaGates,
      registry: registryOf({
        name: "worker",
        description: "Works.",
        output: { schema: person },
        tape: [
          { answer: "here", output: { name: "Ada" } },
          { feedback: "must have required property 'age'" },
          { answer: "here", output: { name: "Ada", age: 36 } },
        ],
      }),
    });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "completed", output: { name: "Ada", age: 36 }, evidence: "checked" });
  });
});
