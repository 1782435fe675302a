// A property taken out of a JSON text, with its comma and the lines that it stood on.
import type { Node } from "jsonc-parser";
import { commaIn, endOf } from "./json-nodes.ts";

export function withoutProperty(text: string, parent: Node, property: Node): string {
  const [close, siblings] = [endOf(parent) - 1, parent.children ?? []];
  const before = siblings[siblings.indexOf(property) - 1];
  const next = commaIn(text, endOf(property), close);
  const previous =
    next === undefined && before !== undefined ? commaIn(text, endOf(before), property.offset) : undefined;
  const [start, end] = lines(text, property.offset, next === undefined ? endOf(property) : next + 1);
  const kept = text.slice(0, start);
  const head = previous === undefined ? kept : kept.slice(0, previous) + kept.slice(previous + 1);
  return head + text.slice(end);
}

/** With the line break before it, where it stands on lines of its own. */
function lines(text: string, start: number, end: number): [number, number] {
  let [from, to] = [start, end];
  while (isRoom(text.charAt(from - 1))) from--;
  while (isRoom(text.charAt(to))) to++;
  const isLineStart = text.charAt(from - 1) === "\n";
  const isLineEnd = text.startsWith("\n", to) || text.startsWith("\r\n", to);
  if (!isLineStart || !isLineEnd) return [from, end];
  return [from - (text.charAt(from - 2) === "\r" ? 2 : 1), to];
}

const isRoom = (character: string): boolean => character === " " || character === "\t";

/** Nothing in it, not even a comment. */
export const isHollow = (text: string, node: Node): boolean =>
  node.type === "object" && text.slice(node.offset + 1, endOf(node) - 1).trim() === "";
