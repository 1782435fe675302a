// The parameters of a recipe, and the places for them: `{{ key }}` there, `${key}` here.
import type { AgentInput, Json, JsonObject } from "../../../schema/index.ts";
import { isObject } from "../lenient/json-value.ts";
import { ownValue } from "../lenient/modes.ts";
import { inOrder } from "../lenient/write-markdown.ts";

const TYPES: Readonly<Record<string, AgentInput["type"]>> = { number: "number", boolean: "boolean" };

export interface Parameter {
  readonly key: string;
  readonly input: AgentInput;
}

/** Those that have a key. Dates, files and choices are text here. */
export function readParameters(parameters: Json | undefined): Parameter[] {
  return (Array.isArray(parameters) ? parameters : []).flatMap((one) => {
    if (!isObject(one) || typeof one["key"] !== "string" || one["key"].trim() === "") return [];
    const key = one["key"].trim();
    const word = one["input_type"];
    const wanted = (typeof word === "string" ? ownValue(TYPES, word) : undefined) ?? "string";
    const { description, default: said = null } = one;
    const { type, given } = readDefault(wanted, said);
    const required = one["requirement"] !== "optional" && said === null;
    return [
      {
        key,
        input: {
          name: key.replaceAll(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_"),
          type,
          required,
          ...(typeof description === "string" ? { description } : {}),
          ...(given === undefined ? {} : { default: given }),
        },
      },
    ];
  });
}

interface Default {
  readonly type: AgentInput["type"];
  readonly given?: AgentInput["default"];
}

/** To Goose every value is text. Where the default is none of its type, the parameter is text here, too. */
function readDefault(type: AgentInput["type"], value: Json): Default {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return { type };
  const text = String(value);
  if (type === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return { type, given: Number(text) };
  if (type === "boolean" && /^(?:true|false)$/.test(text)) return { type, given: text === "true" };
  return { type: "string", given: text };
}

export const writeParameters = (inputs: readonly AgentInput[]): JsonObject[] =>
  inputs.map(({ name, type, description, required, default: given }) =>
    inOrder({
      key: name,
      input_type: type === "integer" ? "number" : type,
      // Goose wants a default for what is optional.
      requirement: given === undefined && required !== false ? "required" : "optional",
      description: description ?? name,
      default: given === undefined ? (required === false ? "" : undefined) : String(given),
    }),
  );

/** Text that looks like a place of ours, and is none there, is escaped. */
export function toPlaces(text: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return text;
  const names = new Map(parameters.map(({ key, input }) => [key, input.name]));
  return text
    .replaceAll("${", () => "$${")
    .replaceAll(/\{\{\s*([\w-]+)\s*\}\}/g, (whole, key: string) => {
      const name = names.get(key);
      return name === undefined ? whole : `\${${name}}`;
    });
}

export function fromPlaces(text: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return text;
  const keys = new Map(parameters.map(({ key, input }) => [input.name, key]));
  return text.replaceAll(/\$\$\{|\$\{([A-Za-z_]\w*)\}/g, (whole, name: string | undefined) => {
    if (name === undefined) return "${";
    const key = keys.get(name);
    return key === undefined ? whole : `{{ ${key} }}`;
  });
}

/** Whether something of the template language is left, once the places are filled in: Goose does, and nobody does here. */
export const hasMoreThanPlaces = (text: string): boolean => /\{[%#{]/.test(text);
