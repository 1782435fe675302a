import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { jsonSchemas } from "../../scripts/json-schemas.ts";
import { writeAgentYaml } from "../../src/definitions/own-format/write-agent.ts";
import { anyDefinition } from "./any-definition.ts";

const text = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const validator = (path: string) =>
  new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(text(path)) as object);

describe("the published schemas", () => {
  it.each(Object.entries(jsonSchemas()))("%s is what the sources say (npm run schemas)", (path, expected) => {
    expect(text(path)).toBe(expected);
  });
});

describe("the schema of agent files", () => {
  const validate = validator("schema/agent.schema.json");

  it("accepts whatever our own reader accepts", () => {
    fc.assert(
      fc.property(anyDefinition, (definition) => {
        const isValid = validate(parse(writeAgentYaml(definition), { schema: "core" }));
        expect(isValid ? [] : validate.errors).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    "description: d",
    "name: a\ndescription: d\nmax-turns: 3\npermissionMode: plan\nworkspace: {allow-writes: true, allowWrites: true}",
    "description: d\nbackends: [claude, native]\nsystem_prompt: p\nx-claude: {color: red}",
    "description: d\ntape: [{spend: {micro-usd: 1, tokens: 2}}, {pauseMs: 3}]",
  ])("accepts %j", (yaml) => {
    expect(validate(parse(yaml)) || validate.errors).toBe(true);
  });

  it.each([
    "name: a",
    "description: d\nmax_turnz: 3",
    "description: d\nmax_turns: 0",
    "description: d\nworkspace: {mode: shard}",
    "description: d\nkind: remote",
    "description: d\nx: {claude: {}}",
    "description: d\nx-claude: red",
    "description: d\npermission_mode: dontAsk",
    "description: d\nskills: []",
    "description: d\nmcp_servers: {a__b: {command: x}}",
    "description: d\ntriggers: {slash: Not A Word}",
  ])("refuses %j", (yaml) => {
    expect(validate(parse(yaml))).toBe(false);
  });
});

describe("the schema of tasks.json", () => {
  const validate = validator("schema/tasks.schema.json");

  it("wants rows of an agent and a prompt", () => {
    expect(validate([{ agent: "a", prompt: "p", inputs: { x: 1 } }])).toBe(true);
    expect(validate([])).toBe(false);
    expect(validate([{ agent: "a" }])).toBe(false);
    expect(validate([{ agent: "a", prompt: "p", agnet: "b" }])).toBe(false);
  });
});
