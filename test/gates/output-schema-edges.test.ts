import { describe, expect, test } from "vitest";
import { outputSchemaGates } from "../../src/gates/output-schema/output-schema-gate.ts";
import type { Attempt, AttemptScope, GateVerdict } from "../../src/ports/index.ts";
import type { Json, JsonObject, TaskView } from "../../src/schema/index.ts";
import { processorMsOf } from "../processor-time.ts";

const task = (schema: JsonObject) => ({ spec: { definition: { output: { schema } } } }) as TaskView;

const check = async (schema: JsonObject, output: Json | undefined): Promise<GateVerdict> => {
  const [gate] = outputSchemaGates(task(schema));
  if (gate === undefined) throw new Error("no gate");
  return gate.check({ task: task(schema) } as Attempt, { answer: "", output }, {} as AttemptScope);
};
const feedbackOf = (verdict: GateVerdict): string => (verdict.passed ? "" : verdict.feedback);

describe("patterns", () => {
  test.each(["^(a+)+$", "^(a|aa)+$", "(x+x+)+y", "^([a-z]+)*[A-Z]$"])(
    "a pattern that is built to take for ever (%s) takes no time",
    async (pattern) => {
      const text = `${"a".repeat(20_000)}${"x".repeat(20_000)}!`;
      const took = await processorMsOf(async () => {
        expect(await check({ type: "string", pattern }, text)).toMatchObject({ passed: false });
      });
      expect(took).toBeLessThan(2000);
    },
  );

  test("a pattern still finds what it describes, wherever it stands", async () => {
    const schema = { type: "string", pattern: "[0-9]{4}-[0-9]{2}" };
    expect(await check(schema, "on 2026-01, or so")).toMatchObject({ passed: true });
    expect(await check(schema, "in January")).toMatchObject({ passed: false });
  });
});

test("each pattern of a schema is its own", async () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string", pattern: "^a$" }, b: { type: "string", pattern: "^b$" } },
  };
  expect(await check(schema, { a: "a", b: "b" })).toMatchObject({ passed: true });
  expect(feedbackOf(await check(schema, { a: "a", b: "a" }))).toContain("output.b");
});

test("a schema with an $id is checked as often as it is used", async () => {
  for (let round = 0; round < 2; round++) {
    expect(await check({ $id: "https://example.org/person", type: "string" }, "text")).toMatchObject({
      passed: true,
    });
  }
});

test("feedback names the values that are allowed, and the property that is not", async () => {
  const schema = { type: "object", additionalProperties: false, properties: { size: { enum: ["small", "large"] } } };
  const feedback = feedbackOf(await check(schema, { size: "medium", colour: "red" }));
  expect(feedback).toContain("colour");
  expect(feedback).toContain("small");
});

test("feedback names a property as it is written", async () => {
  const schema = { type: "object", properties: { "a/b": { type: "string" } } };
  expect(feedbackOf(await check(schema, { "a/b": 1 }))).toContain("a/b");
});
