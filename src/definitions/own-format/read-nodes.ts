// From YAML nodes to a plain value, by the names of the schema, remembering where each part stands.
import { type Alias, type Document, isAlias, isMap, isNode, isScalar, isSeq, type YAMLMap } from "yaml";
import { FREE, type Shape } from "./key-shape.ts";
import { nameKey, sameKey } from "./name-key.ts";
import { newPlaces, type Path, type Places } from "./places.ts";
import type { Report } from "./problems.ts";
import { show } from "./show.ts";

export interface Reading {
  readonly value: unknown;
  readonly places: Places;
  /** False: reading was given up, and the value is not whole. */
  readonly isWhole: boolean;
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
  readonly places: Places;
  values: number;
  aliases: number;
  isWhole: boolean;
}

export function readNodes(document: Document, expected: Expected): Reading {
  const progress: Progress = { ...expected, document, places: newPlaces(), values: 0, aliases: 0, isWhole: true };
  const value = readNode(progress, document.contents, expected.shape, [], null);
  return { value, places: progress.places, isWhole: progress.isWhole };
}

function readNode(progress: Progress, node: unknown, shape: Shape, path: Path, key: number | null): unknown {
  const [start, end] = rangeOf(progress, node, key);
  progress.places.put(path, { key: key ?? start, value: start, end });
  countValue(progress, start, path);
  if (!progress.isWhole) return null;
  if (isAlias(node)) return readAlias(progress, node, shape, path, start);
  if (isMap(node)) return readMap(progress, node, shape, path);
  if (isSeq(node))
    return node.items.map((item, i) => readNode(progress, item, shape.items ?? FREE, [...path, i], null));
  return isScalar(node) ? node.value : null;
}

/** An alias inside of what another one stands for counts each time: that is what makes a bomb. */
function readAlias(progress: Progress, alias: Alias, shape: Shape, path: Path, at: number): unknown {
  progress.aliases += 1;
  const target = progress.aliases > MAX_ALIASES ? null : alias.resolve(progress.document);
  if (target === null) giveUp(progress, at, `the file uses more than ${MAX_ALIASES} aliases`);
  if (target === undefined) giveUp(progress, at, `there is no ${show(`&${alias.source}`)} before this`);
  if (!progress.isWhole) return null;
  const own = progress.places.at(path);
  const value = readNode(progress, target, shape, path, null);
  if (own !== undefined) progress.places.put(path, own); // what does not fit here is the alias
  return value;
}

function readMap(progress: Progress, map: YAMLMap, shape: Shape, path: Path): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  const spellings = new Map<string, string>();
  for (const { key, value: node } of map.items) {
    const [at] = rangeOf(progress, key, null);
    const name = takeKey(progress, isScalar(key) ? String(key.value) : "", shape, path, at, spellings);
    if (name === undefined) continue;
    value[name] = readNode(progress, node, shape.keys?.get(name) ?? FREE, [...path, name], at);
  }
  return value;
}

/** The name to keep a value under, if it is to be kept. What is wrong with the key is reported. */
function takeKey(
  { notYet, places, report }: Progress,
  written: string,
  shape: Shape,
  path: Path,
  at: number,
  spellings: Map<string, string>,
): string | undefined {
  const key = nameKey(written, shape, path.length === 0 ? notYet : NONE);
  if (key.kind !== "known") report(at, key.message);
  if (key.kind === "refused") return undefined;
  if (key.kind === "unknown") {
    places.noteUnknownKey(path);
    return key.meant === undefined || spellings.has(key.meant) ? undefined : key.meant;
  }
  const earlier = spellings.get(key.name);
  if (earlier !== undefined) report(at, sameKey(earlier, written));
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
function rangeOf({ start }: Expected, node: unknown, key: number | null): readonly [number, number] {
  const range = (isNode(node) ? node.range : null) ?? [0, 0];
  const isNothing = !isNode(node) || (isScalar(node) && node.type === "PLAIN" && node.source === "");
  return isNothing && key !== null ? [key, key] : [start + range[0], start + range[1]];
}
