// What a diff of git is silent about: files that it was told not to look at, and what lies in submodules. That may have
// changed, so it is said.
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { SAFE_GIT_ARGUMENTS } from "./safe-git.ts";

/** Everything in the index, with its marks: `H 100644 <hash> 0 TAB path NUL`. */
export const INDEXED: readonly string[] = [...SAFE_GIT_ARGUMENTS, "ls-files", "-z", "-v", "--stage", "--full-name"];

const ENTRY = /^(.) (\d+) \S+ \d\t(.*)$/s;
const SUBMODULE = "160000";

/** A line each, with those names that may be told. */
export function blindSpots(
  top: string,
  entries: readonly string[],
  isCut: boolean,
  told: (names: readonly string[]) => string,
): string[] {
  const ignored: string[] = [];
  const submodules: string[] = [];
  for (const entry of entries) {
    const [, mark = "", mode, name = ""] = ENTRY.exec(entry) ?? [];
    if (mode === SUBMODULE) {
      if (existsSync(join(top, name, ".git"))) submodules.push(name);
    } else if (isUnwatched(mark) && isThere(join(top, name))) ignored.push(name);
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

/** `--assume-unchanged` makes it small; `S` is `--skip-worktree`, with which files of a sparse checkout are not there. */
const isUnwatched = (mark: string): boolean => mark === "S" || mark !== mark.toUpperCase();

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // in a folder that is closed to us, too
  }
}
