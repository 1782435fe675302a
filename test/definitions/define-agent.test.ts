import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { defineAgent, parseOutput } from "../../src/index.ts";
import { inputSchemaOf } from "../../src/domain/inputs.ts";
import { writeAgentYaml } from "../../src/definitions/own-format/write-agent.ts";
import { readAgentYaml } from "../../src/definitions/own-format/read-agent.ts";
import { AgentDefinition } from "../../src/schema/index.ts";

const Report = z.object({ findings: z.array(z.string()), score: z.number().min(0).max(1).default(0.5) });

describe("an agent in TypeScript", () => {
  it("is a definition like any other, with the schema of its output in JSON", () => {
    const agent = defineAgent({
      name: "scanner",
      description: "Scans",
      prompt: "Scan ${target}.",
      inputs: [{ name: "target" }],
      output: { name: "report", schema: Report },
    });
    expect(agent).toEqual(AgentDefinition.parse(agent));
    expect(agent.output).toEqual({
      name: "report",
      schema: {
        type: "object",
        required: ["findings"],
        properties: {
          findings: { type: "array", items: { type: "string" } },
          score: { type: "number", minimum: 0, maximum: 1, default: 0.5 },
        },
      },
    });
    expect(readAgentYaml(writeAgentYaml(agent), "x.yml")).toMatchObject({ ok: true, definition: agent });
  });

  it("gives what comes back its type, by checking it", () => {
    const agent = defineAgent({ name: "a", description: "d", output: { schema: Report } });
    const report = parseOutput(agent, { findings: ["x"] });
    expectTypeOf(report).toEqualTypeOf<{ findings: string[]; score: number }>();
    expect(report).toEqual({ findings: ["x"], score: 0.5 });
    expect(() => parseOutput(agent, { findings: "x" })).toThrow(/^the output of "a" does not fit: /);
    expect(() => parseOutput(defineAgent({ name: "b", description: "d" }), {})).toThrow(
      "was not defined with a zod schema",
    );
  });

  it("may have its output as JSON Schema", () => {
    const schema = { type: "object", properties: { a: { pattern: "^a+$" } } };
    expect(defineAgent({ name: "a", description: "d", output: { schema } }).output?.schema).toEqual(schema);
  });

  it("may use what zod knows by name, though its pattern could not be run", () => {
    const schema = z.object({ mail: z.email(), id: z.uuid(), at: z.iso.datetime() });
    const agent = defineAgent({ name: "a", description: "d", output: { schema } });
    expect(agent.output?.schema["properties"]).toEqual({
      mail: { type: "string", format: "email" },
      id: { type: "string", format: "uuid" },
      at: { type: "string", format: "date-time" },
    });
  });

  const wrong: [what: string, make: () => unknown, message: RegExp][] = [
    [
      "a misspelt field",
      () => defineAgent({ name: "a", description: "d", promt: "x" } as never),
      /^the agent "a": .*promt/,
    ],
    ["no name that can be one", () => defineAgent({ name: "a b", description: "d" }), /agent names hold/],
    ["no description", () => defineAgent({ name: "a" } as never), /description/],
    [
      "a place that is no input",
      () => defineAgent({ name: "a", description: "d", prompt: "${y}", inputs: [{ name: "x" }] }),
      /uses \$\{y\}, which is no input/,
    ],
    [
      "a pattern that looks ahead",
      () => defineAgent({ name: "a", description: "d", output: { schema: { pattern: "(?=a)" } } }),
      /cannot be run in linear time/,
    ],
    [
      "a zod pattern that looks ahead",
      () => defineAgent({ name: "a", description: "d", output: { schema: z.string().regex(/(?=a)/) } }),
      /cannot be run in linear time/,
    ],
    [
      "an output that JSON cannot hold",
      () => defineAgent({ name: "a", description: "d", output: { schema: z.object({ at: z.date() }) } }),
      /the output of the agent "a": /,
    ],
  ];

  it.each(wrong)("with %s is refused", (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({ code: "definition.invalid", message: expect.stringMatching(message) }),
    );
  });
});

describe("an agent in the form of Gemini CLI's own", () => {
  const configured = {
    kind: "local",
    name: "my_agent",
    description: "Agent description",
    inputConfig: { inputs: { target: { type: "string", description: "Target to analyze", required: true } } },
    outputConfig: {
      outputName: "analysis",
      description: "Analysis result",
      schema: z.object({ result: z.string(), confidence: z.number() }),
    },
    promptConfig: { systemPrompt: "You are...", query: "Analyze ${target}" },
    modelConfig: { model: "gemini-2.0-flash", temp: 0.1, top_p: 0.95 },
    runConfig: { max_time_minutes: 10, max_turns: 20 },
    toolConfig: { tools: ["ls", "read_file", "delegate_to_agent"] },
  } as const;

  it("means the same here", () => {
    const agent = defineAgent(configured);
    expect(agent).toMatchObject({
      name: "my_agent",
      prompt: "You are...",
      query: "Analyze ${target}",
      model: "gemini-2.0-flash",
      temperature: 0.1,
      top_p: 0.95,
      max_turns: 20,
      timeout_mins: 10,
      tools: ["List", "Read"],
      inputs: [{ name: "target", type: "string", description: "Target to analyze", required: true }],
      output: { name: "analysis", description: "Analysis result", schema: { required: ["result", "confidence"] } },
    });
    expectTypeOf(parseOutput(agent, { result: "r", confidence: 1 })).toEqualTypeOf<{
      result: string;
      confidence: number;
    }>();
  });

  it("needs little, and guesses nothing", () => {
    const { name, description, promptConfig } = configured;
    const { tools, output, inputs } = defineAgent({ name, description, promptConfig });
    expect({ tools, output, inputs }).toEqual({ tools: undefined, output: undefined, inputs: [] });
    expect(() => defineAgent({ ...configured, toolConfig: { tools: ["frobnicate"] } })).toThrow(
      'there is no tool "frobnicate"',
    );
  });
});

describe("what a caller may give an agent, as the schema of a tool", () => {
  it("has the inputs with their types, descriptions and defaults", () => {
    const { inputs } = AgentDefinition.parse({
      name: "a",
      description: "d",
      inputs: [
        { name: "target", description: "What to look at", required: true },
        { name: "depth", type: "integer", default: 2, required: true },
        { name: "loud", type: "boolean" },
      ],
    });
    expect(inputSchemaOf({ inputs })).toEqual({
      type: "object",
      properties: {
        target: { type: "string", description: "What to look at" },
        depth: { type: "integer", default: 2 },
        loud: { type: "boolean" },
      },
      required: ["target"],
      additionalProperties: false,
    });
  });

  it("is a prompt where there are none", () => {
    expect(inputSchemaOf({ inputs: [] })).toMatchObject({
      properties: { prompt: { type: "string" } },
      required: ["prompt"],
    });
  });
});
