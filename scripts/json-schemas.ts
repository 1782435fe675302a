// npm run schemas: writes the JSON Schemas of the files that people write, for their editors.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { spellingsOf } from "../src/definitions/own-format/key-shape.ts";
import { Batch } from "../src/operations/batch-operations.ts";
import { AgentDefinition } from "../src/schema/index.ts";

type Node = Record<string, unknown>;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/** Each key of ours also in its other spellings: an editor must not warn of what is read without a word. */
function withSpellings(node: unknown, pointer: string): unknown {
  if (Array.isArray(node)) return node.map((item, index) => withSpellings(item, `${pointer}/${index}`));
  if (!isNode(node)) return node;
  const copy: Node = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withSpellings(value, `${pointer}/${key}`)]),
  );
  const { properties, additionalProperties, required = [] } = copy;
  if (!isNode(properties) || additionalProperties !== false || !Array.isArray(required)) return copy;
  const aliases = aliasesOf(Object.keys(properties), `${pointer}/properties`);
  const respelt = new Set(
    [...spellingsOf(Object.keys(properties))].flatMap(([to, name]) => (to === name ? [] : [name])),
  );
  const needed = required.filter((name) => !respelt.has(String(name))); // another spelling of it will do as well
  return { ...copy, properties: { ...properties, ...aliases }, required: needed };
}

const aliasesOf = (names: readonly string[], pointer: string): Node =>
  Object.fromEntries(
    [...spellingsOf(names)]
      .filter(([spelling, name]) => spelling !== name)
      .map(([spelling, name]) => [spelling, aliasOf(pointer, name)]),
  );

const aliasOf = (pointer: string, name: string): Node => ({
  $ref: `${pointer}/${name}`,
  description: `The same as ${name}.`,
  deprecated: true,
});

/** As a file says it: the name may be the file's own, and what is for other programs has keys of their own. */
function agentSchema(): Node {
  const { $schema, ...schema }: Node = z.toJSONSchema(AgentDefinition, { io: "input" });
  const { x: _, ...own } = isNode(schema["properties"]) ? schema["properties"] : {};
  const spelt = withSpellings({ ...schema, properties: own, required: ["description"] }, "#");
  const properties = isNode(spelt) && isNode(spelt["properties"]) ? spelt["properties"] : {};
  const others = { backends: "backend", system_prompt: "prompt", "system-prompt": "prompt", systemPrompt: "prompt" };
  const aliases = Object.entries(others).map(([alias, name]) => [alias, aliasOf("#/properties", name)] as const);
  return {
    $schema,
    title: "A Cadre agent",
    description: "The settings of an agent: a YAML file, or what stands between the dashes of a Markdown file.",
    ...(isNode(spelt) ? spelt : {}),
    properties: { ...properties, ...Object.fromEntries(aliases) },
    patternProperties: { "^x-[a-z][a-z0-9-]*$": { type: "object", description: "What another program's file said." } },
  };
}

const tasksSchema = (): Node => ({
  ...z.toJSONSchema(Batch, { io: "input" }),
  title: "Tasks for Cadre",
  description: "Many tasks at once: cadre batch tasks.json",
});

/** The files by their paths in the package, with their text. */
export const jsonSchemas = (): Readonly<Record<string, string>> => ({
  "schema/agent.schema.json": `${JSON.stringify(agentSchema(), null, 2)}\n`,
  "schema/tasks.schema.json": `${JSON.stringify(tasksSchema(), null, 2)}\n`,
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(jsonSchemas())) {
    const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
