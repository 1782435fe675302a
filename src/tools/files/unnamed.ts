import { lookConfined } from "../../platform/confined-files.ts";
import type { Place } from "./places.ts";

/** Names are bytes. What was no text in one has been lost on the way here, and opens nothing any more. */
export const isBroken = (path: string): boolean => path.includes("\uFFFD");

/** Something was found by such a name: the character itself may be part of one that is text. */
export const isUnnamed = async ({ root, path }: Place): Promise<boolean> =>
  isBroken(path) && (await lookConfined(root, path).catch(() => null)) === null;

/** Said with what was found: nobody is to take that for all. */
export const unnamedNote = (count: number): string =>
  `(${count} more ${count === 1 ? "has a name" : "have names"} that ${count === 1 ? "is" : "are"} no UTF-8 text, and cannot be opened here)`;
