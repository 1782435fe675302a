import { nearest } from "../../domain/nearest.ts";
import type { Shape } from "./key-shape.ts";
import { didYouMean, show } from "./show.ts";

export type KeyName =
  | { readonly kind: "known"; readonly name: string }
  /** Wrong, but if it is clear what was meant, its value can be looked at all the same. */
  | { readonly kind: "unknown"; readonly meant: string | undefined; readonly message: string }
  | { readonly kind: "refused"; readonly message: string };

/** Which key of the schema a written key is. */
export function nameKey(written: string, shape: Shape, notYet: ReadonlySet<string>): KeyName {
  // A plain object cannot hold it, and nobody means well by it.
  if (written === "__proto__") return { kind: "refused", message: '"__proto__" cannot be a key' };
  if (shape.keys === null) return { kind: "known", name: written };
  const name = shape.names.get(written);
  if (name !== undefined) return { kind: "known", name };
  if (shape.extra?.test(written) === true) return { kind: "known", name: written };
  if (notYet.has(written)) return { kind: "refused", message: `"${written}" is not supported yet` };
  const meant = nearest(written, [...shape.keys.keys()]);
  return { kind: "unknown", meant, message: `unknown key ${show(written)}${didYouMean(meant)}` };
}

export const sameKey = (earlier: string, later: string): string =>
  earlier === later
    ? `${show(later)} stands here twice`
    : `${show(later)} is the same key as ${show(earlier)}, which stands here already`;
