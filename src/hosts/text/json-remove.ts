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
  const room = /\r?\n[ \t]*$/.exec(text.slice(0, start));
  const after = /^[ \t]*(?=\r?\n)/.exec(text.slice(end));
  if (room !== null && after !== null) return [start - room[0].length, end + after[0].length];
  return [start - (/[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0), end];
}

/** Nothing in it, not even a comment. */
export const isHollow = (text: string, node: Node): boolean =>
  node.type === "object" && text.slice(node.offset + 1, endOf(node) - 1).trim() === "";
