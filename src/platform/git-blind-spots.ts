// What a diff of git is silent about: files that it was told not to look at, and what lies in submodules. That may have
// changed, so it is said.
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SAFE_GIT_ARGUMENTS } from "./safe-git.ts";

/** Everything in the index, with its marks: `H 100644 <hash> 0 TAB path NUL`. */
export const INDEXED: readonly string[] = [...SAFE_GIT_ARGUMENTS, "ls-files", "-z", "-v", "--stage", "--full-name"];

const ENTRY = /^(.) (\d+) \S+ \d\t(.*)$/s;
const SUBMODULE = "160000";

export interface Index {
  readonly entries: readonly string[];
  readonly isCut: boolean;
  /** Of a sparse checkout files are missing that nobody has deleted. */
  readonly isSparse: boolean;
}

/** A line each, with those names that may be told. */
export function blindSpots(
  top: string,
  { entries, isCut, isSparse }: Index,
  told: (names: readonly string[]) => string,
): string[] {
  const ignored: string[] = [];
  const submodules: string[] = [];
  for (const entry of entries) {
    const [, mark = "", mode, name = ""] = ENTRY.exec(entry) ?? [];
    const path = join(top, name);
    if (mode === SUBMODULE && isFilled(path)) submodules.push(name);
    if (isAssumed(mark) || (mark === SKIPPED && (!isSparse || isThere(path)))) ignored.push(name);
  }
  const about = (what: string, names: readonly string[]): string[] => {
    const list = told(names);
    return list === "" ? [] : [`[${what}:]\n${list}\n`];
  };
  return [
    ...about("git was told not to look at these files. What has changed in them is left out", ignored),
    ...about("What is not committed in these submodules is left out", submodules),
    ...(isCut ? ["[Too many files to see which of them git was told not to look at.]\n"] : []),
  ];
}

/** By `--skip-worktree`, which a sparse checkout uses, too. */
const SKIPPED = "S";

/** By `--assume-unchanged`, whatever it is besides. */
const isAssumed = (mark: string): boolean => mark !== mark.toUpperCase();

/** A submodule that was never fetched is an empty folder. Without a `.git` in it, git does not look at what is there. */
function isFilled(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return existsSync(folder); // closed to us, or no folder
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // in a folder that is closed to us, too
  }
}
