// The nodes of a JSON text, and what stands between them.
import { createScanner, type Node } from "jsonc-parser";

/** Token kinds of the scanner: its own names are a const enum, which does not outlive compiling. */
const COMMA = 5;
const END = 17;

export const endOf = ({ offset, length }: Node): number => offset + length;

export const propertyOf = ({ children = [] }: Node, key: string): Node | undefined =>
  children.find((property) => property.children?.[0]?.value === key);

/** The comma that comes next, with nothing but room and comments before it. */
export function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(from);
  const token: number = scanner.scan();
  const at = scanner.getTokenOffset();
  return token === COMMA && at < to ? at : undefined;
}

/** Nothing but room and comments. */
export function isBlank(text: string): boolean {
  const token: number = createScanner(text, true).scan();
  return token === END;
}
