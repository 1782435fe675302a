// What a configuration file says, whatever it is written in: enough to compare two texts, and no more.
import type { Json } from "../../schema/index.ts";
import { TextProblem } from "./text-problem.ts";

export type Tree =
  | { readonly kind: "map"; readonly pairs: readonly Pair[] }
  | { readonly kind: "list"; readonly items: readonly Tree[] }
  | { readonly kind: "leaf"; readonly text: string };

/** Not an object: `__proto__` is a key like any other, and a key may be there twice. */
export type Pair = readonly [key: string, value: Tree];

export const leaf = (value: unknown): Tree => ({ kind: "leaf", text: JSON.stringify(value) ?? String(value) });

const MOST_NESTED = 200;

/** For whoever makes a tree: what goes down too far is nobody's configuration. */
export function checkDepth(depth: number): void {
  if (depth > MOST_NESTED) throw new TextProblem("it is nested too deeply");
}

export function treeOf(value: Json): Tree {
  if (Array.isArray(value)) return { kind: "list", items: value.map(treeOf) };
  if (typeof value !== "object" || value === null) return leaf(value);
  return { kind: "map", pairs: Object.entries(value).map(([key, one]): Pair => [key, treeOf(one)]) };
}

/** One text for one content. The order of keys says nothing. */
export function contentOf(tree: Tree): string {
  if (tree.kind === "leaf") return tree.text;
  if (tree.kind === "list") return `[${tree.items.map(contentOf).join(",")}]`;
  return `{${tree.pairs
    .map(([key, value]) => `${JSON.stringify(key)}:${contentOf(value)}`)
    .toSorted()
    .join(",")}}`;
}

/** What stands at that place. Refuses a place that is there twice, or that something else than a map stands in. */
export function treeAt(tree: Tree, keys: readonly string[]): Tree | undefined {
  let here: Tree = tree;
  for (const [depth, key] of keys.entries()) {
    const place = keys.slice(0, depth).join(".");
    if (isNothing(here)) return undefined;
    if (here.kind !== "map") throw new TextProblem(`${place === "" ? "it" : `"${place}"`} is not a map`);
    const found = here.pairs.filter(([name]) => name === key);
    if (found.length > 1) throw new TextProblem(`"${[...keys.slice(0, depth), key].join(".")}" is there twice`);
    const [pair] = found;
    if (pair === undefined) return undefined;
    [, here] = pair;
  }
  return here;
}

/** How many of these keys are there, from the first one on. */
export function depthOf(tree: Tree, keys: readonly string[]): number {
  const missing = keys.findIndex((_, index) => treeAt(tree, keys.slice(0, index + 1)) === undefined);
  return missing < 0 ? keys.length : missing;
}

/** Everything but what stands at that place, and the maps around it that hold nothing else. */
export function restOf(tree: Tree, keys: readonly string[]): string {
  return contentOf(without(tree, keys) ?? { kind: "map", pairs: [] });
}

function without(tree: Tree, [key, ...more]: readonly string[]): Tree | undefined {
  if (key === undefined || isNothing(tree)) return undefined;
  if (tree.kind !== "map") return tree;
  const pairs = tree.pairs.flatMap((pair): Pair[] => {
    const [name, value] = pair;
    if (name !== key) return [pair];
    const left = without(value, more);
    return left === undefined ? [] : [[name, left]];
  });
  return pairs.length === 0 ? undefined : { kind: "map", pairs };
}

/** A name with nothing behind it is as good as an empty map. */
const isNothing = (tree: Tree): boolean => tree.kind === "leaf" && tree.text === "null";
