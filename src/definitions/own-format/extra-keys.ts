// What other programs' files say is kept under `x-<program>` in a file, and in `x.<program>` of the definition.
import type { Path } from "./places.ts";

export type Fields = Readonly<Record<string, unknown>>;

const PREFIX = "x-";

export const EXTRA_KEY = /^x-[a-z][a-z0-9-]*$/;

/** What a file says, in the form of a definition. Anything else than a map is given back as it is. */
export function extrasOf(given: unknown): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  const entries = Object.entries(given);
  const extras = entries.filter(([key]) => EXTRA_KEY.test(key));
  if (extras.length === 0) return given;
  const others = entries.filter(([key]) => !EXTRA_KEY.test(key));
  return {
    ...Object.fromEntries(others),
    x: Object.fromEntries(extras.map(([key, value]) => [key.slice(PREFIX.length), value])),
  };
}

/** A definition, in the form in which a file says it. */
export const withExtraKeys = ({ x = {}, ...others }: Fields & { readonly x?: Fields }): Fields => ({
  ...others,
  ...Object.fromEntries(Object.entries(x).map(([program, value]) => [`${PREFIX}${program}`, value])),
});

/** Where a part of a definition stands in what a file says. */
export const writtenPath = (path: Path): Path => {
  const [first, program, ...below] = path;
  return first === "x" && program !== undefined ? [`${PREFIX}${String(program)}`, ...below] : path;
};
