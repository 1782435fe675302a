// Secrets, replaced by their names wherever text leaves an attempt: for the log, for files, for a model. Those of the
// user are known by their values, all others by their shape: one that an agent finds in a file is nobody's variable.
import { type LongShape, longShape, overlap, unfinishedShape, withoutShapes } from "./secret-shapes.ts";

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
    .map(([name, value]) => ({ value, place: `{{secret:${name}}}` }))
    .toSorted((a, b) => b.value.length - a.value.length);
  const values = known.map(({ value }) => value);
  const byValue = (given: string): string =>
    known.reduce((rest, { value, place }) => rest.replaceAll(value, place), given);
  const text = (given: string): string => withoutShapes(byValue(given));
  const json = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  };
  const isIn = (given: string): boolean =>
    given.length >= SHORTEST && (values.some((value) => given.includes(value)) || withoutShapes(given) !== given);
  const holds = (value: unknown): boolean => {
    if (typeof value === "string") return isIn(value);
    if (Array.isArray(value)) return value.some(holds);
    if (value === null || typeof value !== "object") return false;
    for (const key of Object.keys(value)) if (isIn(key) || holds(Reflect.get(value, key))) return true;
    return false;
  };
  return {
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else changes
    json: <T>(value: T): T => (holds(value) ? (json(value) as T) : value),
    stream: () => new Pieces(byValue, values),
  };
}

class Pieces {
  readonly #byValue: (text: string) => string;
  readonly #values: readonly string[];
  #kept = "";
  /** What comes is the rest of this one, which was told of already. */
  #long: LongShape | undefined;

  constructor(byValue: (text: string) => string, values: readonly string[]) {
    this.#byValue = byValue;
    this.#values = values;
  }

  /** A token may be longer than what has come of it: it waits until something else follows. */
  write(piece: string): string {
    const all = this.#withoutLong(this.#byValue(this.#kept + piece));
    if (this.#long !== undefined) return "";
    const [shape, value] = [unfinishedShape(all), all.length - this.#partOfValue(all)];
    const end = Math.min(shape, value);
    this.#kept = all.slice(end);
    const said = withoutShapes(all.slice(0, end));
    // A value that is known is waited for, however long it is.
    const long = end === shape ? longShape(this.#kept) : undefined;
    if (long === undefined) return said;
    this.#long = long;
    this.#withoutLong(this.#kept.slice(this.#kept.lastIndexOf("\n") + 1));
    return `${said}{{secret:${long.name}}}`;
  }

  flush(): string {
    const rest = this.#long === undefined ? withoutShapes(this.#kept) : "";
    this.#kept = "";
    this.#long = undefined;
    return rest;
  }

  /** Less what belongs to one that is too long to be waited for; while that may go on, only its end is kept. */
  #withoutLong(text: string): string {
    if (this.#long === undefined) return text;
    const { length, mayGoOn } = this.#long.rest(text);
    const after = text.slice(length);
    if (!mayGoOn) this.#long = undefined;
    else this.#kept = text.slice(text.length - Math.max(after.length, this.#partOfValue(text)));
    return after;
  }

  #partOfValue = (text: string): number =>
    this.#values.reduce((most, value) => Math.max(most, overlap(text, value)), 0);
}
