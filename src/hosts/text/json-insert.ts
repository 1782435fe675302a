// A property put into a JSON text, written as the text around it is.
import type { Node } from "jsonc-parser";
import type { Json } from "../../schema/index.ts";
import { commaIn, endOf } from "./json-nodes.ts";
import type { Insertion } from "./text-format.ts";

const UNIT = "  ";

/** Into a text without any value: what is there are comments at the most. */
export function insertWhole(text: string, value: Json): Insertion[] {
  const isOpen = text !== "" && !text.endsWith("\n");
  return [{ at: text.length, text: `${isOpen ? "\n" : ""}${JSON.stringify(value, null, UNIT)}\n` }];
}

export function insertProperty(text: string, root: Node, parent: Node, key: string, value: Json): Insertion[] {
  const [first, last] = [parent.children?.[0], parent.children?.at(-1)];
  const close = endOf(parent) - 1;
  const from = last === undefined ? parent.offset + 1 : endOf(last);
  const hasComma = last !== undefined && commaIn(text, from, close) !== undefined;
  const comma = last !== undefined && !hasComma ? [{ at: from, text: "," }] : [];
  const trailing = hasComma ? "," : "";
  const tail = from + text.slice(from, close).trimEnd().length;
  if (isOneLine(text, root, parent)) {
    const [gap, colon] = isTight(text, root) ? ["", ":"] : [last === undefined ? "" : " ", ": "];
    const written = JSON.stringify(value, null, colon === ":" ? undefined : 1).replaceAll(
      /\n\s*/g,
      colon === ":" ? "" : " ",
    );
    return [...comma, { at: tail, text: `${gap}${JSON.stringify(key)}${colon}${written}${trailing}` }];
  }
  const unit = unitOf(text, root);
  const outer = indentAt(text, parent.offset);
  const indent = first === undefined ? outer + unit : indentAt(text, first.offset);
  const written = JSON.stringify(value, null, unit).replaceAll("\n", `\n${indent}`);
  const end = text.slice(tail, close).includes("\n") ? "" : `\n${outer}`;
  return [...comma, { at: tail, text: `\n${indent}${JSON.stringify(key)}: ${written}${trailing}${end}` }];
}

/** An object with something in it is added to as it is written; an empty one as the text around it is. */
function isOneLine(text: string, root: Node, { offset, children: [first] = [] }: Node): boolean {
  if (first !== undefined) return !text.slice(offset, first.offset).includes("\n");
  const [outermost] = root.children ?? [];
  return outermost !== undefined && !text.slice(root.offset, outermost.offset).includes("\n");
}

function isTight(text: string, { children: [first] = [] }: Node): boolean {
  const [key, value] = first?.children ?? [];
  return key !== undefined && value !== undefined && !/\s/.test(text.slice(endOf(key), value.offset));
}

function unitOf(text: string, { children: [first] = [] }: Node): string {
  const indent = first === undefined ? "" : indentAt(text, first.offset);
  return indent === "" ? UNIT : indent;
}

/** The room that its line begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
