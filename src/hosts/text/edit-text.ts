// One entry of a configuration file, put in and taken out so that everything else stays as it stands: comments,
// formatting, order, line ends, byte order mark. What was made is parsed before anybody gets it.
import type { Json } from "../../schema/index.ts";
import type { Insertion, TextFormat } from "./text-format.ts";
import { TextProblem } from "./text-problem.ts";
import { contentOf, depthOf, restOf, type Tree, treeAt, treeOf } from "./tree.ts";

const BOM = "\uFEFF";

export interface Inserted {
  readonly text: string;
  readonly insertions: readonly Insertion[];
  /** How many of the keys were there before. */
  readonly depth: number;
}

/** The content of an entry as one text, to be compared; undefined where there is none. */
export function entryIn(format: TextFormat, text: string, keys: readonly string[]): string | undefined {
  const found = treeAt(parsed(format, body(text)), keys);
  return found === undefined ? undefined : contentOf(found);
}

export const contentOfValue = (value: Json): string => contentOf(treeOf(value));

export function insertEntry(format: TextFormat, text: string, keys: readonly string[], value: Json): Inserted {
  const before = body(text);
  const tree = parsed(format, before);
  const [rest, content] = [restOf(tree, keys), contentOfValue(value)];
  const depth = depthOf(tree, keys);
  if (depth === keys.length) throw new TextProblem(`"${keys.join(".")}" is there already`);
  const shift = text.length - before.length;
  for (const way of format.insert(before, keys, value)) {
    const insertions = way.map((one) => ({ at: one.at + shift, text: withLineEndsOf(before, one.text) }));
    const after = insert(text, insertions);
    if (says(format, after, keys, rest, content)) return { text: after, insertions, depth };
  }
  throw new TextProblem("it is written in a way that cannot be added to without changing the rest");
}

export interface Remembered {
  readonly insertions: readonly Insertion[];
  readonly depth: number;
}

/** Of the very text that the insertions made, the text that they were made in. */
export function takeBack(text: string, insertions: readonly Insertion[]): string {
  let result = "";
  let done = 0;
  let shift = 0;
  for (const { at, text: piece } of insertions) {
    result += text.slice(done, at + shift);
    shift += piece.length;
    done = at + shift;
  }
  return result + text.slice(done);
}

/** From a text that was changed since: what was inserted where it still stands as it was, else the entry alone. */
export function removeEntry(
  format: TextFormat,
  text: string,
  keys: readonly string[],
  { insertions, depth }: Remembered,
): string {
  const before = body(text);
  const rest = restOf(parsed(format, before), keys);
  const bom = text.slice(0, text.length - before.length);
  for (const make of [() => withoutPieces(before, insertions), () => format.remove(before, keys, depth)]) {
    const after = make();
    if (after !== null && says(format, after, keys, rest, undefined)) return bom + after;
  }
  throw new TextProblem("it is written in a way that cannot be taken out of without changing the rest");
}

function says(
  format: TextFormat,
  text: string,
  keys: readonly string[],
  rest: string,
  content: string | undefined,
): boolean {
  try {
    const tree = parsed(format, body(text));
    const found = treeAt(tree, keys);
    return restOf(tree, keys) === rest && (found === undefined ? undefined : contentOf(found)) === content;
  } catch (error) {
    if (error instanceof TextProblem) return false;
    throw error;
  }
}

/** Parsers go down by calling themselves. */
function parsed(format: TextFormat, text: string): Tree {
  try {
    return format.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw new TextProblem("it is nested too deeply");
    throw error;
  }
}

function insert(text: string, insertions: readonly Insertion[]): string {
  let result = "";
  let done = 0;
  for (const { at, text: piece } of insertions) {
    result += text.slice(done, at) + piece;
    done = at;
  }
  return result + text.slice(done);
}

function withoutPieces(text: string, insertions: readonly Insertion[]): string | null {
  let result = text;
  for (const { text: piece } of insertions) {
    const [before, after, ...more] = result.split(piece);
    if (before === undefined || after === undefined || more.length > 0) return null;
    result = before + after;
  }
  return result;
}

const body = (text: string): string => (text.startsWith(BOM) ? text.slice(1) : text);

const withLineEndsOf = (text: string, piece: string): string =>
  text.includes("\r\n") ? piece.replaceAll("\n", "\r\n") : piece;
