const MAX_SHOWN = 60;

/** A value as a message quotes it. */
export function show(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);
  }
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" && value !== null ? "a map" : String(value);
}

/** Where in a definition: `tape[2].content`. */
export function showPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return show(parts.join("").replace(/^\./, ""));
}

export const didYouMean = (guess: string | undefined): string =>
  guess === undefined ? "" : `; did you mean "${guess}"?`;
