import { lstatSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

/** Where tools keep what they have worked out, in the midst of what is installed. */
const CACHES = [".cache", ".vite", ".vite-temp"];
/** Each is a mount more. Those of the project itself come first. */
const MOST_FOLDERS = 20;

/**
 * Folders in each `node_modules` that programs may not write: the attempt's programs get empty ones of their own in their
 * place, because what lies in a cache is run as well. A mount needs a folder: those that are missing are made.
 */
export const cachesIn = (held: readonly string[]): string[] =>
  held
    .filter((path) => basename(path) === "node_modules" && isFolder(path))
    .slice(0, MOST_FOLDERS)
    .flatMap((path) => CACHES.map((name) => join(path, name)))
    .filter(isMade);

function isMade(cache: string): boolean {
  try {
    mkdirSync(cache, { recursive: true });
    return isFolder(cache);
  } catch {
    return false; // something else is there, or it is not ours to write
  }
}

/** Not a link to one. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
