// YAML. An entry goes right below the name of its map, where nothing above it can be changed by it.
import { type Document, isAlias, isMap, isPair, isScalar, isSeq, parseDocument, visit, type YAMLMap } from "yaml";
import type { Json } from "../../schema/index.ts";
import type { Insertion, TextFormat } from "./text-format.ts";
import { placeIn, TextProblem } from "./text-problem.ts";
import { checkDepth, leaf, type Pair, type Tree } from "./tree.ts";
import { insertAfterLine, insertAtEnd, insertAtStart, insertInFlow, withoutLines } from "./yaml-lines.ts";

export const yamlText: TextFormat = {
  parse(text) {
    const { contents } = read(text);
    visit(contents, { Map: (_, map) => checkKeys(map, text) });
    return treeOfNode(contents, 0);
  },
  insert(text, keys, value) {
    const { contents } = read(text);
    const [map, missing, key] = innermost(contents, keys);
    const lines = (indent: string) => blockLines(missing, value, indent);
    if (map === null) return key === undefined ? [insertAtEnd(text, lines(""))] : emptyBelow(text, key, lines);
    if (map.flow === true) return [insertInFlow(text, map, flowed(missing, value))];
    if (key === undefined) return [insertAtEnd(text, lines("")), insertAtStart(text, map, lines(""))].filter(isWay);
    const indent = indentOf(text, map);
    return indent === null ? [] : [insertAfterLine(text, key.start, lines(indent))];
  },
  remove(text, keys, keepDepth) {
    let result = text;
    for (let depth = keys.length; depth > Math.min(keepDepth, keys.length - 1); depth--) {
      const { contents } = read(result);
      const [map, missing] = innermost(contents, keys.slice(0, depth - 1));
      if (map === null || missing.length > 0) return null;
      const shorter = withoutLines(result, map, keys[depth - 1] ?? "", depth < keys.length);
      if (shorter === null) return depth < keys.length ? result : null;
      result = shorter;
    }
    return result;
  },
};

const MOST_CHARACTERS = 1024 * 1024;

/** Keys are compared by us: the parser takes a time that grows with the square of their number. */
function read(text: string): Document {
  if (text.length > MOST_CHARACTERS) throw new TextProblem(`it is longer than ${MOST_CHARACTERS} characters`);
  const document = parseDocument(text, { prettyErrors: true, strict: true, uniqueKeys: false });
  const [error] = document.errors;
  if (error === undefined) return document;
  const [what = ""] = error.message.split(/ at line \d+|:\n|\n/);
  if (what.startsWith("Maximum call stack")) throw new RangeError(what); // it is caught in there, and told as a mistake
  const start = error.linePos?.[0];
  throw new TextProblem(what, start === undefined ? undefined : `${start.line}:${start.col}`);
}

function checkKeys({ items }: YAMLMap, text: string): void {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name))
      throw new TextProblem("a key is there twice", placeIn(text, (isScalar(key) && key.range?.[0]) || 0));
    seen.add(name);
  }
}

function treeOfNode(node: unknown, depth: number): Tree {
  checkDepth(depth);
  if (isAlias(node)) return { kind: "leaf", text: `*${node.source}` };
  if (isMap(node)) return { kind: "map", pairs: node.items.map((one) => pairOf(one, depth + 1)) };
  if (isSeq(node)) return { kind: "list", items: node.items.map((one) => treeOfNode(one, depth + 1)) };
  if (isPair(node)) return { kind: "map", pairs: [pairOf(node, depth + 1)] };
  if (!isScalar(node)) return leaf(null);
  const { value, tag, anchor } = node;
  const plain = typeof value === "bigint" ? { kind: "leaf" as const, text: String(value) } : leaf(value);
  const more = [...(tag === undefined ? [] : [`!${tag}`]), ...(anchor === undefined ? [] : [`&${anchor}`])];
  return more.length === 0 ? plain : { kind: "list", items: [...more.map(leaf), plain] };
}

const pairOf = ({ key, value }: { key: unknown; value: unknown }, depth: number): Pair => [
  isScalar(key) && typeof key.value === "string" ? key.value : `? ${JSON.stringify(treeOfNode(key, depth))}`,
  treeOfNode(value, depth),
];

interface KeyPlace {
  readonly start: number;
}

/** The innermost map on the way that is there (null: a name with nothing behind it), what is missing, and its name. */
function innermost(
  contents: unknown,
  keys: readonly string[],
): [map: YAMLMap | null, missing: readonly string[], key: KeyPlace | undefined] {
  let map: YAMLMap | null = isMap(contents) ? contents : null;
  let key: KeyPlace | undefined;
  for (const [depth, name] of keys.entries()) {
    const pair: { key: unknown; value: unknown } | undefined = map?.items.find(
      (item) => isScalar(item.key) && item.key.value === name,
    );
    if (pair === undefined) return [map, keys.slice(depth), key];
    key = { start: (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? 0 };
    map = isMap(pair.value) ? pair.value : null;
  }
  return [map, [], key];
}

function emptyBelow(text: string, { start }: KeyPlace, lines: (indent: string) => string[]): Insertion[][] {
  const line = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return line.trim() === "" ? [insertAfterLine(text, start, lines(`${line}  `))] : [];
}

/** How far in the keys of a map stand, if they stand on lines of their own. */
function indentOf(text: string, { items: [first] }: YAMLMap): string | null {
  const start = isScalar(first?.key) ? first.key.range?.[0] : undefined;
  const line = start === undefined ? undefined : text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return line !== undefined && line.trim() === "" ? line : null;
}

/** `{a: {b: 1}}` in lines. What is not a map stands on one of them, quoted: it is text and nothing else. */
function blockLines([key, ...more]: readonly string[], value: Json, indent: string): string[] {
  if (key === undefined) return [];
  if (more.length > 0) return [`${indent}${key}:`, ...blockLines(more, value, `${indent}  `)];
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${indent}${key}: ${plain(value)}`];
  return [
    `${indent}${key}:`,
    ...Object.entries(value).flatMap(([name, one]) => blockLines([name], one, `${indent}  `)),
  ];
}

const plain = (value: Json): string =>
  Array.isArray(value)
    ? `[${value.map(plain).join(", ")}]`
    : typeof value === "string" &&
        /^[a-z][a-z_-]*$/.test(value) &&
        !/^(?:y|n|yes|no|on|off|true|false|null)$/.test(value)
      ? value
      : JSON.stringify(value);

const flowed = ([key = "", ...more]: readonly string[], value: Json): string =>
  `${key}: ${more.length > 0 ? `{${flowed(more, value)}}` : JSON.stringify(value)}`;

const isWay = (way: Insertion[] | null): way is Insertion[] => way !== null;
