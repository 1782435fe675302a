import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { mayBeProtected, protectedBy } from "../../domain/protected-paths.ts";
import { isWithin } from "../../domain/scopes.ts";

/** Looking through all of a large project would take longer than the program. */
const MOST_ENTRIES = 20_000;
/** Whoever may write here may write code that others run, and needs no settings for it. */
const NOT_LOOKED_INTO = new Set(["node_modules"]);

export interface Protected {
  /** Absolute, with what was there: a file that was replaced is another one. */
  readonly found: ReadonlyMap<string, string>;
  /** Whether all of it was looked at. */
  readonly isWhole: boolean;
}

/**
 * The protected files and folders in a folder that may be written to, less those that another scope opens.
 * `scopes` and `homes` are absolute. Links are not followed: what they lead to is protected where it lies, or not
 * at all.
 */
export function findProtected(folder: string, scopes: readonly string[], homes: readonly string[]): Protected {
  const below = (paths: readonly string[]) => paths.filter((path) => path !== folder && isWithin(path, folder));
  const relative = (path: string): string => path.slice(folder.length + 1);
  const openings = [".", ...below(scopes).map(relative)];
  const ownHomes = below(homes).map(relative);
  const found = new Map<string, string>();
  const queue = [folder];
  let left = MOST_ENTRIES;
  for (let next = queue.shift(); next !== undefined && left > 0; next = queue.shift()) {
    for (const entry of entriesOf(next)) {
      if (--left < 0) break;
      const path = join(next, entry.name);
      if (mayBeProtected(entry.name) && protectedBy(relative(path), openings, ownHomes) !== undefined)
        found.set(path, identityOf(path));
      else if (entry.isDirectory() && !NOT_LOOKED_INTO.has(entry.name) && !homes.includes(path)) queue.push(path);
    }
  }
  return { found, isWhole: left > 0 };
}

/** The same very file or folder, whatever was written into it. */
function identityOf(path: string): string {
  const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return info === undefined ? "" : `${info.dev}:${info.ino}:${info.birthtimeNs}`;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not ours to read, or gone
  }
}
