// Inputs of an agent: checked when a task is admitted, all problems named at once.
import type { AgentDefinition, AgentInput, Json, JsonObject } from "../schema/index.ts";

export type InputsChecked =
  | { readonly ok: true; readonly inputs: JsonObject }
  | { readonly ok: false; readonly problems: string[] };

/** A single declared input that was not given is filled by the prompt. */
export function checkInputs(declared: readonly AgentInput[], given: JsonObject, prompt: string): InputsChecked {
  const only = declared.length === 1 ? declared[0] : undefined;
  const own = new Map(Object.entries(given));
  if (only?.type === "string" && !own.has(only.name)) own.set(only.name, prompt);
  const problems: string[] = [];
  const inputs: [string, Json][] = [];
  for (const input of declared) {
    const asked = own.get(input.name) ?? input.default;
    const value = asked === undefined ? undefined : readAs(input.type, asked);
    if (value === undefined) {
      if (input.required === true) problems.push(`"${input.name}" is missing`);
      continue;
    }
    if (fits(input.type, value)) inputs.push([input.name, value]);
    else problems.push(`"${input.name}" must be ${article(input.type)}, got ${JSON.stringify(value)}`);
  }
  const names = new Set(declared.map(({ name }) => name));
  for (const name of own.keys()) {
    if (!names.has(name)) problems.push(`"${name}" is not an input of this agent`);
  }
  return problems.length === 0 ? { ok: true, inputs: Object.fromEntries(inputs) } : { ok: false, problems };
}

/** What a caller may give an agent, as the JSON Schema of a tool. One without inputs takes a prompt. */
export function inputSchemaOf({ inputs }: Pick<AgentDefinition, "inputs">): JsonObject {
  const declared: readonly AgentInput[] =
    inputs.length === 0
      ? [{ name: "prompt", type: "string", description: "What is to be done.", required: true }]
      : inputs;
  const properties = declared.map(({ name, type, description, default: fallback }): [string, JsonObject] => [
    name,
    {
      type,
      ...(description === undefined ? {} : { description }),
      ...(fallback === undefined ? {} : { default: fallback }),
    },
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    // What has a default need not be given.
    required: declared
      .filter((input) => input.required === true && input.default === undefined)
      .map(({ name }) => name),
    additionalProperties: false,
  };
}

/** A command line has only text. What reads as the declared type without a doubt is taken as that. */
function readAs(type: AgentInput["type"], value: Json): Json {
  if (typeof value !== "string") return value;
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  const isNumber =
    (type === "number" || type === "integer") && /^-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?$/i.test(value);
  return isNumber ? Number(value) : value;
}

function fits(type: AgentInput["type"], value: Json): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return Number.isSafeInteger(value);
  }
}

const article = (type: string): string => (type === "integer" ? `an ${type}` : `a ${type}`);
