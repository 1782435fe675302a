// The keys that a CLI is given must not come back in what it says: a command that prints its environment is enough.

const SHORTEST = 6; // below, a "key" would be found in half of all words

export type Redact = (text: string) => string;

export function redactor(values: Readonly<Record<string, string>>): Redact {
  const known = Object.entries(values)
    .filter(([, value]) => value.length >= SHORTEST)
    .toSorted(([, a], [, b]) => b.length - a.length);
  return (text) => known.reduce((left, [name, value]) => left.replaceAll(value, `{{secret:${name}}}`), text);
}

/** In every text of a value. */
export function redactDeep<T>(value: T, redact: Redact): T {
  const json = JSON.stringify(value);
  if (json === undefined) return value;
  const clean = redact(json);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names of secrets need no escaping, so the shape stays
  return clean === json ? value : (JSON.parse(clean) as T);
}
