import { statSync } from "node:fs";
import { isAbsolute } from "node:path";

/** The files that a command line names in full: a script for an interpreter, a file of settings. Never folders. */
export const namedFiles = (words: readonly string[]): string[] =>
  words.filter((word) => isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true);
