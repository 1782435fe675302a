import { existsSync, lstatSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PROTECTED_NAMES } from "../../domain/protected-paths.ts";

/** What of the protected files and folders is at the top of this folder. */
export const protectedIn = (folder: string): readonly string[] =>
  PROTECTED_NAMES.filter((name) => existsSync(join(folder, name)));

/**
 * Takes away what is empty and was not there before: a sandbox that closes a file which does not exist puts one in its
 * place, and leaves it there when it is killed.
 */
export function removeEmptied(folder: string, before: readonly string[]): void {
  for (const name of protectedIn(folder)) if (!before.includes(name)) removeIfEmpty(join(folder, name));
}

function removeIfEmpty(path: string): void {
  try {
    const found = lstatSync(path);
    if (found.isDirectory()) rmdirSync(path);
    else if (found.isFile() && found.size === 0) rmSync(path);
  } catch {
    // not empty, or gone by itself
  }
}
