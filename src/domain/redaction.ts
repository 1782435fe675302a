// Secrets that are known, replaced by their names wherever text leaves an attempt: for the log, for files, for a model.

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
  const text = (given: string): string =>
    known.reduce((rest, [name, value]) => rest.replaceAll(value, `{{secret:${name}}}`), given);
  const json = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), json(inner)]));
  };
  const holds = (value: unknown): boolean => {
    const all = JSON.stringify(value) ?? "";
    return known.some(([, secret]) => all.includes(JSON.stringify(secret).slice(1, -1)));
  };
  return {
    text,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- texts become texts, and nothing else changes
    json: <T>(value: T): T => (known.length > 0 && holds(value) ? (json(value) as T) : value),
    stream: () =>
      new Pieces(
        text,
        known.map(([, value]) => value),
      ),
  };
}

class Pieces {
  readonly #text: (text: string) => string;
  readonly #values: readonly string[];
  #kept = "";

  constructor(text: (text: string) => string, values: readonly string[]) {
    this.#text = text;
    this.#values = values;
  }

  write(piece: string): string {
    const all = this.#text(this.#kept + piece);
    const keep = Math.max(0, ...this.#values.map((value) => overlap(all, value)));
    this.#kept = all.slice(all.length - keep);
    return all.slice(0, all.length - keep);
  }

  flush(): string {
    const rest = this.#kept;
    this.#kept = "";
    return rest;
  }
}

/** How much of the end of a text may be the beginning of a value. */
function overlap(text: string, value: string): number {
  for (let length = Math.min(text.length, value.length - 1); length > 0; length--) {
    if (text.endsWith(value.slice(0, length))) return length;
  }
  return 0;
}
