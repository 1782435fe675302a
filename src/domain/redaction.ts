// Secrets, replaced by their names wherever text leaves an attempt: for the log, for files, for a model. Those of the
// user are known by their values, all others by their shape: one that an agent finds in a file is nobody's variable.
import { overlap, unfinishedShape, withoutShapes } from "./secret-shapes.ts";

export interface Redactor {
  text(text: string): string;
  /** Every text in it, names of fields included. The value itself where there is nothing to replace. */
  json<T>(value: T): T;
  /** For text that comes in pieces: a secret that is cut in two is found as well. Ends with `flush`. */
  stream(): { write(piece: string): string; flush(): string };
}

/** Shorter ones would be found in half of all words. */
const SHORTEST = 8;

/** `{{secret:NAME}}` for each value. */
export function redactor(secrets: Iterable<readonly [name: string, value: string]>): Redactor {
  const known = [...secrets]
    .filter(([, value]) => value.length >= SHORTEST)
    .toSorted((a, b) => b[1].length - a[1].length);
  const byValue = (given: string): string =>
    known.reduce((rest, [name, value]) => rest.replaceAll(value, `{{secret:${name}}}`), given);
  const text = (given: string): string => withoutShapes(byValue(given));
  const json = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  };
  const holds = (value: unknown): boolean => {
    if (typeof value === "string") return text(value) !== value;
    if (Array.isArray(value)) return value.some(holds);
    if (value === null || typeof value !== "object") return false;
    return Object.entries(value).some(([key, inner]) => text(key) !== key || holds(inner));
  };
  return {
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else changes
    json: <T>(value: T): T => (holds(value) ? (json(value) as T) : value),
    stream: () =>
      new Pieces(
        byValue,
        known.map(([, value]) => value),
      ),
  };
}

class Pieces {
  readonly #byValue: (text: string) => string;
  readonly #values: readonly string[];
  #kept = "";

  constructor(byValue: (text: string) => string, values: readonly string[]) {
    this.#byValue = byValue;
    this.#values = values;
  }

  /** A token may be longer than what has come of it: it waits until something else follows. */
  write(piece: string): string {
    const all = this.#byValue(this.#kept + piece);
    const partial = Math.max(0, ...this.#values.map((value) => overlap(all, value)));
    const end = Math.min(all.length - partial, unfinishedShape(all));
    this.#kept = all.slice(end);
    return withoutShapes(all.slice(0, end));
  }

  flush(): string {
    const rest = withoutShapes(this.#kept);
    this.#kept = "";
    return rest;
  }
}
