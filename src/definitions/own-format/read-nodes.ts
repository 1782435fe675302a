// From YAML nodes to a plain value, by the names of the schema, remembering where each part stands.
import { type Alias, type Document, isAlias, isMap, isNode, isScalar, isSeq, type YAMLMap } from "yaml";
import { FREE, type Shape } from "./key-shape.ts";
import { nameKey, sameKey } from "./name-key.ts";
import type { Report } from "./problems.ts";

export type Path = readonly PropertyKey[];

export interface Place {
  /** Where the key stands; for an item of a list, where the item does. */
  readonly key: number;
  readonly value: number;
  readonly end: number;
}

export interface Reading {
  readonly value: unknown;
  /** False: a limit was met, and the value is not whole. */
  readonly isWhole: boolean;
  place(path: Path): Place | undefined;
  /** Whether the map there has keys that nobody knows. The value leaves them out. */
  hasUnknownKeys(path: Path): boolean;
}

export interface Expected {
  readonly shape: Shape;
  /** Keys at the top that are known, and refused. */
  readonly notYet: ReadonlySet<string>;
  /** Where in the file the YAML begins. */
  readonly start: number;
  readonly report: Report;
}

const MAX_ALIASES = 20;
const MAX_VALUES = 50_000;
const MAX_DEPTH = 64;
const NONE: ReadonlySet<string> = new Set();

interface Progress extends Expected {
  readonly document: Document;
  readonly places: Map<string, Place>;
  readonly unknown: Set<string>;
  values: number;
  aliases: number;
  isWhole: boolean;
}

const keyOf = (path: Path): string => JSON.stringify(path);

export function readNodes(document: Document, expected: Expected): Reading {
  const counts = { values: 0, aliases: 0, isWhole: true };
  const progress: Progress = { ...expected, document, places: new Map(), unknown: new Set(), ...counts };
  const value = readNode(progress, document.contents, expected.shape, []);
  return {
    value,
    isWhole: progress.isWhole,
    place: (path) => progress.places.get(keyOf(path)),
    hasUnknownKeys: (path) => progress.unknown.has(keyOf(path)),
  };
}

function readNode(progress: Progress, node: unknown, shape: Shape, path: Path, key?: number): unknown {
  const [start, end] = rangeOf(progress, node, key ?? progress.start);
  progress.places.set(keyOf(path), { key: key ?? start, value: start, end });
  countValue(progress, start, path);
  if (!progress.isWhole) return null;
  if (isAlias(node)) return readAlias(progress, node, shape, path, start);
  if (isMap(node)) return readMap(progress, node, shape, path);
  if (isSeq(node)) return node.items.map((item, i) => readNode(progress, item, shape.items ?? FREE, [...path, i]));
  return isScalar(node) ? node.value : null;
}

/** An alias inside of what another one stands for counts each time: that is what makes a bomb. */
function readAlias(progress: Progress, alias: Alias, shape: Shape, path: Path, at: number): unknown {
  progress.aliases += 1;
  if (progress.aliases > MAX_ALIASES) giveUp(progress, at, `the file uses more than ${MAX_ALIASES} aliases`);
  if (!progress.isWhole) return null;
  const target = alias.resolve(progress.document);
  if (target === undefined) {
    progress.report(at, `there is no "&${alias.source}" before this`);
    return null;
  }
  const own = progress.places.get(keyOf(path));
  const value = readNode(progress, target, shape, path);
  if (own !== undefined) progress.places.set(keyOf(path), own); // what does not fit here is the alias
  return value;
}

function readMap(progress: Progress, map: YAMLMap, shape: Shape, path: Path): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const spellings = new Map<string, string>();
  for (const pair of map.items) {
    const [at] = rangeOf(progress, pair.key, progress.start);
    const name = takeKey(progress, isScalar(pair.key) ? String(pair.key.value) : "", shape, path, at, spellings);
    if (name === undefined) continue;
    value[name] = readNode(progress, pair.value, shape.keys?.get(name) ?? FREE, [...path, name], at);
  }
  return value;
}

/** The name to keep a value under, if it is to be kept. What is wrong with the key is reported. */
function takeKey(
  progress: Progress,
  written: string,
  shape: Shape,
  path: Path,
  at: number,
  spellings: Map<string, string>,
): string | undefined {
  const key = nameKey(written, shape, path.length === 0 ? progress.notYet : NONE);
  if (key.kind !== "known") progress.report(at, key.message);
  if (key.kind === "refused") return undefined;
  if (key.kind === "unknown") {
    progress.unknown.add(keyOf(path));
    return key.meant === undefined || spellings.has(key.meant) ? undefined : key.meant;
  }
  const earlier = spellings.get(key.name);
  if (earlier !== undefined) progress.report(at, sameKey(earlier, written));
  spellings.set(key.name, earlier ?? written);
  return earlier === undefined ? key.name : undefined;
}

function countValue(progress: Progress, at: number, path: Path): void {
  progress.values += 1;
  if (progress.values > MAX_VALUES) giveUp(progress, at, `the file holds more than ${MAX_VALUES} values`);
  if (path.length > MAX_DEPTH) giveUp(progress, at, `this is nested more than ${MAX_DEPTH} deep`);
}

function giveUp(progress: Progress, at: number, message: string): void {
  if (progress.isWhole) progress.report(at, message);
  progress.isWhole = false;
}

/** From where to where a node stands in the file. Nothing at all stands where its key does. */
function rangeOf({ start }: Expected, node: unknown, fallback: number): readonly [number, number] {
  const range = (isNode(node) ? node.range : null) ?? null;
  const isNothing = isScalar(node) && node.type === "PLAIN" && node.source === "";
  return range === null || isNothing ? [fallback, fallback] : [start + range[0], start + range[1]];
}
