// The keys that a CLI is given must not come back in what it says: a command that prints its environment is enough.
import type { Json } from "../../schema/index.ts";

const SHORTEST = 6; // below, a "key" would be found in half of all words

export type Redact = (text: string) => string;

export function redactor(values: Readonly<Record<string, string>>): Redact {
  const known = Object.entries(values)
    .filter(([, value]) => value.length >= SHORTEST)
    .toSorted(([, a], [, b]) => b.length - a.length);
  return (text) => known.reduce((left, [name, value]) => left.replaceAll(value, `{{secret:${name}}}`), text);
}

/** In every text of a value, names of fields included. */
export function redactJson(value: Json, redact: Redact): Json {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => redactJson(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [redact(name), redactJson(one, redact)]));
}
