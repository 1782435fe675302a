import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { mayBeProtected, protectedBy } from "../../domain/protected-paths.ts";
import { isRunLaterFolder, mayRunLater, runsLater } from "../../domain/run-later.ts";
import { isWithin } from "../../domain/scopes.ts";
import { yielding } from "../../platform/yielding.ts";

export interface FoundFile {
  /** The same very file or folder, whatever was written into it. */
  readonly identity: string;
  readonly isFolder: boolean;
  /** `protected`, or only run later by somebody else. */
  readonly why: "protected" | "later";
}

export interface Protected {
  /** By their absolute paths: a file that was replaced is another one. */
  readonly found: ReadonlyMap<string, FoundFile>;
  /** Folders that nobody lets us look into. */
  readonly closed: ReadonlySet<string>;
  /** Whether all the others were looked at. */
  readonly isWhole: boolean;
}

export interface SearchWish {
  readonly folder: string;
  /** Absolute, as are the homes: what is written there is open, also where it is protected. */
  readonly scopes: readonly string[];
  readonly homes: readonly string[];
  /** Whether what is only run later counts too. */
  readonly withLater: boolean;
  readonly most: number;
}

/** Nobody waits for the first program of an attempt longer than it takes to look at so many. */
const MOST_BEFORE = 100_000;
/** Afterwards there is time: programs may have made many to hide one. */
const MOST_AFTER = 5_000_000;
const AT_ONCE = 500;

export type Searched = Pick<SearchWish, "folder" | "scopes" | "homes" | "withLater">;

/**
 * The protected files and folders in a folder that may be written to, less those that another scope opens. Links are
 * not followed: what they lead to is protected where it lies, or not at all.
 */
export function findProtected(wish: Searched): Protected {
  const steps = search({ ...wish, most: MOST_BEFORE });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same, without keeping others waiting. */
export async function findProtectedSoon(wish: Searched): Promise<Protected> {
  const breathe = yielding();
  const steps = search({ ...wish, most: MOST_AFTER });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await breathe();
  }
}

function* search({ folder, scopes, homes, withLater, most }: SearchWish): Generator<undefined, Protected> {
  const below = (paths: readonly string[]) => paths.filter((path) => path !== folder && isWithin(path, folder));
  const relative = (path: string): string => path.slice(folder.length + 1);
  const openings = [".", ...below(scopes).map(relative)];
  const ownHomes = below(homes).map(relative);
  const whyOf = (name: string, path: string): FoundFile["why"] | undefined => {
    if (mayBeProtected(name) && protectedBy(relative(path), openings, ownHomes) !== undefined) return "protected";
    return withLater && mayRunLater(name) && runsLater(relative(path), openings) !== undefined ? "later" : undefined;
  };
  const found = new Map<string, FoundFile>();
  const closed = new Set<string>();
  const queue = [folder];
  let left = most;
  for (let at = 0; at < queue.length && left > 0; at++) {
    const next = queue[at] ?? folder;
    const entries = entriesOf(next);
    if (entries === "closed") closed.add(next);
    for (const entry of entries === "closed" ? [] : entries) {
      if (--left < 0) break;
      if (left % AT_ONCE === 0) yield;
      const path = join(next, entry.name);
      const why = whyOf(entry.name, path);
      const isFolder = entry.isDirectory();
      if (why !== undefined) found.set(path, { identity: identityOf(path), isFolder, why });
      // Whoever may write what was installed needs no settings to have something run.
      else if (isFolder && !isRunLaterFolder(entry.name) && !homes.includes(path)) queue.push(path);
    }
  }
  return { found, closed, isWhole: left > 0 };
}

function identityOf(path: string): string {
  try {
    const info = lstatSync(path, { bigint: true });
    return `${info.dev}:${info.ino}:${info.birthtimeNs}`;
  } catch {
    return ""; // gone, or in a folder of which only the names can be read
  }
}

function entriesOf(folder: string): Dirent[] | "closed" {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? [] : "closed";
  }
}
