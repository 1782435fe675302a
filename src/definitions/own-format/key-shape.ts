// Which keys may stand where, taken from the schema itself: a key that is new there is known here.
import * as z from "zod";

type Schema = z.core.$ZodType;

export interface Shape {
  /** The keys by their own names; null where any key may stand. */
  readonly keys: ReadonlyMap<string, Shape> | null;
  /** From each accepted spelling of a key to its name. */
  readonly names: ReadonlyMap<string, string>;
  readonly items: Shape | null;
  /** Keys beside those, each with anything below it. */
  readonly extra?: RegExp;
}

export const FREE: Shape = { keys: null, names: new Map(), items: null };

export const shapeOf = (schema: Schema): Shape => merge(leaves(schema));

/** A shape with other words for some of its keys. */
export const withAliases = (shape: Shape, aliases: Readonly<Record<string, string>>): Shape => ({
  ...shape,
  names: new Map([
    ...shape.names,
    ...Object.entries(aliases).flatMap(([alias, key]) => spell(alias).map((spelling) => [spelling, key] as const)),
  ]),
});

/** Where several schemas may apply, a key of any of them is known: which of them it is, validation decides. */
function merge(schemas: readonly Schema[]): Shape {
  const objects = schemas.filter((schema) => schema instanceof z.ZodObject);
  const arrays = schemas.filter((schema) => schema instanceof z.ZodArray);
  const keys = objects.length === 0 ? null : mergeKeys(objects);
  return {
    keys,
    names: keys === null ? new Map() : spellingsOf([...keys.keys()]),
    items: arrays.length === 0 ? null : merge(arrays.flatMap(({ element }) => leaves(element))),
  };
}

function mergeKeys(objects: readonly z.ZodObject[]): Map<string, Shape> {
  const schemas = new Map<string, Schema[]>();
  for (const { shape } of objects) {
    for (const [key, schema] of Object.entries(shape)) {
      schemas.set(key, [...(schemas.get(key) ?? []), ...leaves(schema)]);
    }
  }
  return new Map([...schemas].map(([key, some]) => [key, merge(some)]));
}

function leaves(schema: Schema): Schema[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return leaves(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(leaves);
  return [schema];
}

/** Each name as it is, in kebab-case and in camelCase. */
export const spellingsOf = (names: readonly string[]): Map<string, string> =>
  new Map(names.flatMap((name) => spell(name).map((spelling) => [spelling, name] as const)));

function spell(name: string): string[] {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_");
  const camel = words.map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)));
  return [words.join("-"), camel.join(""), name];
}
