// Input as a model sent it: checked strictly, and complained about in words that the model can act on.
import * as z from "zod";
import { nearest } from "../domain/nearest.ts";
import { type Json, JsonObject } from "../schema/index.ts";

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

const GOT_CHARS = 60;

/** Made once for each schema: every attempt is offered its tools anew. */
const shown = new WeakMap<z.ZodType, JsonObject>();

/** The schema as a model is shown it. */
export function inputSchemaOf(schema: z.ZodType): JsonObject {
  const known = shown.get(schema);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: "input" });
  const made = JsonObject.parse(rest);
  shown.set(schema, made);
  return made;
}

export function checkInput<T>(tool: string, schema: z.ZodType<T>, input: Json): Checked<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  const shape = inputSchemaOf(schema);
  const complaints = parsed.error.issues.map((issue) => complain(tool, shape, input, issue));
  return { ok: false, problem: [...new Set(complaints)].join("\n") };
}

function complain(tool: string, shape: JsonObject, input: Json, issue: z.core.$ZodIssue): string {
  const node = issue.path.reduce<Json>(childSchema, shape);
  const got = issue.path.reduce<Json | undefined>(childValue, input);
  const where = nameOf(issue.path);
  if (issue.code === "unrecognized_keys") return unknownFields(tool, node, issue.keys, where);
  if (issue.code === "invalid_key") return `\`${where}\`: ${issue.issues[0]?.message ?? issue.message}`;
  if (issue.code === "custom" || issue.code === "invalid_format")
    return where === "" ? issue.message : `\`${where}\` ${issue.message}`;
  const wanted = wantedOf(node);
  if (where === "") return `${tool} takes an object with ${fieldsOf(node).join(", ")}, got ${cut(got)}`;
  if (got === undefined) return `\`${where}\` is missing: it must be ${wanted}`;
  return `\`${where}\` must be ${wanted}, got ${cut(got)}`;
}

function unknownFields(tool: string, node: Json, keys: readonly string[], where: string): string {
  const known = fieldsOf(node);
  return keys
    .map((key) => {
      const meant = nearest(key, known);
      const guess = meant === undefined ? `it takes ${known.join(", ")}` : `did you mean \`${meant}\`?`;
      return `\`${key}\` is not a field of ${where === "" ? tool : where}: ${guess}`;
    })
    .join("\n");
}

const get = (value: Json | undefined, key: string): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, key)
    ? value[key]
    : undefined;

const childSchema = (node: Json, key: PropertyKey): Json =>
  (typeof key === "number" ? get(node, "items") : get(get(node, "properties"), String(key))) ?? {};

const childValue = (value: Json | undefined, key: PropertyKey): Json | undefined =>
  typeof key === "number" ? (Array.isArray(value) ? value[key] : undefined) : get(value, String(key));

const fieldsOf = (node: Json): string[] => Object.keys(JsonObject.catch({}).parse(get(node, "properties")));

const nameOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (name, key) => (typeof key === "number" ? `${name}[${key}]` : name === "" ? String(key) : `${name}.${String(key)}`),
    "",
  );

function wantedOf(node: Json): string {
  const values = get(node, "enum");
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  const type = get(node, "type");
  const kinds = Array.isArray(type) ? type.map((one) => ({ type: one })) : get(node, "anyOf");
  if (Array.isArray(kinds)) return [...new Set(kinds.map(wantedOf))].join(" or ");
  if (type === "integer") return `a whole number${range(node, "minimum", "maximum")}`;
  if (type === "number") return `a number${range(node, "minimum", "maximum")}`;
  if (type === "boolean") return "true or false";
  if (type === "array") return `a list${length(node, "minItems", "maxItems")}`;
  if (type === "string") return `a text${length(node, "minLength", "maxLength")}`;
  const fields = fieldsOf(node);
  return fields.length === 0 ? "an object" : `an object with ${fields.join(", ")}`;
}

function length(node: Json, least: string, most: string): string {
  if (get(node, least) !== 1) {
    const bounds = range(node, least, most);
    return bounds === "" ? "" : ` of a length${bounds}`;
  }
  const longest = limitOf(node, most);
  return longest === undefined ? " that is not empty" : ` that is not empty, of a length ≤ ${longest}`;
}

function range(node: Json, least: string, most: string): string {
  const [min, max] = [limitOf(node, least), limitOf(node, most)];
  const bounds = [...(min === undefined ? [] : [`≥ ${min}`]), ...(max === undefined ? [] : [`≤ ${max}`])];
  return bounds.length === 0 ? "" : ` ${bounds.join(" and ")}`;
}

/** A limit that is none, as whole numbers have it, is not worth a word. */
function limitOf(node: Json, key: string): number | undefined {
  const limit = get(node, key);
  return typeof limit === "number" && Math.abs(limit) !== Number.MAX_SAFE_INTEGER ? limit : undefined;
}

function cut(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > GOT_CHARS ? `${text.slice(0, GOT_CHARS)}…` : text;
}
