// Lines put into a YAML text and taken out of it.
import { isMap, isScalar, isSeq, type YAMLMap } from "yaml";
import type { Insertion } from "./text-format.ts";

/** Below the line on which that place is. */
export function insertAfterLine(text: string, offset: number, lines: readonly string[]): Insertion[] {
  const end = text.indexOf("\n", offset);
  if (end < 0) return [{ at: text.length, text: `\n${lines.join("\n")}` }];
  return [{ at: end + 1, text: `${lines.join("\n")}\n` }];
}

export function insertAtEnd(text: string, lines: readonly string[]): Insertion[] {
  const isOpen = text !== "" && !text.endsWith("\n");
  return [{ at: text.length, text: isOpen ? `\n${lines.join("\n")}` : `${lines.join("\n")}\n` }];
}

/** Above the first key of the outermost map. */
export function insertAtStart(text: string, map: YAMLMap, lines: readonly string[]): Insertion[] | null {
  const [first] = map.items;
  const start = isScalar(first?.key) ? first.key.range?.[0] : undefined;
  if (start === undefined || (start > 0 && text.charAt(start - 1) !== "\n")) return null;
  return [{ at: start, text: `${lines.join("\n")}\n` }];
}

/** Before everything else between the braces. */
export function insertInFlow(text: string, map: YAMLMap, entry: string): Insertion[] {
  const start = map.range?.[0] ?? 0;
  const open = text.indexOf("{", start);
  return [{ at: open + 1, text: map.items.length === 0 ? entry : `${entry}, ` }];
}

/** `onlyEmpty`: only if nothing stands behind the name. Null where it is not on lines of its own. */
export function withoutLines(text: string, map: YAMLMap, name: string, onlyEmpty: boolean): string | null {
  const pair = map.items.find(({ key }) => isScalar(key) && key.value === name);
  const start = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  if (pair === undefined || start === undefined) return null;
  if (onlyEmpty && !isEmpty(pair.value)) return null;
  if (map.flow === true) return withoutFlow(text, start, endOf(pair.value) ?? start + name.length);
  const from = text.lastIndexOf("\n", start - 1) + 1;
  if (text.slice(from, start).trim() !== "") return null;
  const last = Math.max(start, (endOf(pair.value) ?? start + 1) - 1);
  const to = text.indexOf("\n", last);
  // The last line of a text that ends without a break takes the break before it along.
  return to < 0 ? text.slice(0, from).replace(/\r?\n$/, "") : text.slice(0, from) + text.slice(to + 1);
}

/** With the comma behind it, else with the one before it. */
function withoutFlow(text: string, start: number, end: number): string {
  const behind = /^\s*,[ \t]*/.exec(text.slice(end))?.[0];
  if (behind !== undefined) return text.slice(0, start) + text.slice(end + behind.length);
  return text.slice(0, start).replace(/,\s*$/, "") + text.slice(end);
}

const isEmpty = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.value === null) || (isMap(node) && node.items.length === 0);

/** Where the last thing that a node holds ends. */
function endOf(node: unknown): number | undefined {
  if (isMap(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return endOf(last?.value) ?? endOf(last?.key);
  }
  if (isSeq(node) && node.flow !== true) return endOf(node.items.at(-1));
  const isSomething = (isScalar(node) && node.value !== null) || isMap(node) || isSeq(node);
  return isSomething ? (node.range?.[1] ?? undefined) : undefined;
}
