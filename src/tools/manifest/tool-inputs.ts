// Inputs of a tool: what a model or a command line gives, against what the manifest declares.
import type { AgentInput, Json, JsonObject } from "../../schema/index.ts";

export type ToolInputs =
  | { readonly ok: true; readonly inputs: JsonObject }
  | { readonly ok: false; readonly problem: string };

const MAX_TEXT = 32_000;

/** A command line has only text: what reads as the declared type without a doubt is taken as that. */
export function readInputs(declared: readonly AgentInput[], given: JsonObject): ToolInputs {
  const problems: string[] = [];
  const inputs: [string, Json][] = [];
  for (const { name, type, required, default: fallback } of declared) {
    const asked = (Object.hasOwn(given, name) ? given[name] : undefined) ?? fallback;
    const value = asked === undefined ? undefined : readAs(type, asked);
    if (value === undefined) {
      if (required === true) problems.push(`"${name}" is missing`);
    } else if (!fits(type, value)) problems.push(`"${name}" must be ${type === "integer" ? "an" : "a"} ${type}`);
    else if (typeof value === "string" && (value.includes("\0") || value.length > MAX_TEXT))
      problems.push(`"${name}" must be text without NUL, of at most ${MAX_TEXT} characters`);
    else inputs.push([name, value]);
  }
  const names = new Set(declared.map(({ name }) => name));
  const strangers = Object.keys(given).filter((name) => !names.has(name));
  for (const name of strangers) problems.push(`${JSON.stringify(name)} is no input of this tool`);
  if (problems.length === 0) return { ok: true, inputs: Object.fromEntries(inputs) };
  const known = declared.length === 0 ? "It takes no inputs" : `Its inputs: ${[...names].join(", ")}`;
  return { ok: false, problem: `${problems.join("; ")}. ${known}.` };
}

function readAs(type: AgentInput["type"], value: Json): Json {
  if (typeof value !== "string" || type === "string") return value;
  if (type === "boolean") return value === "true" || value === "false" ? value === "true" : value;
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?$/i.test(value) ? Number(value) : value;
}

const fits = (type: AgentInput["type"], value: Json): boolean =>
  type === "integer" ? Number.isSafeInteger(value) : typeof value === type && !Number.isNaN(value);

/** As a model is told of them. */
export function inputSchemaOf(declared: readonly AgentInput[]): JsonObject {
  const properties = declared.map(({ name, type, description, default: fallback }): [string, Json] => [
    name,
    {
      type,
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    },
  ]);
  const required = declared.filter((input) => input.required === true && input.default === undefined);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: required.map(({ name }) => name),
    additionalProperties: false,
  };
}
