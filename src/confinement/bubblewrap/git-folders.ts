import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { realPathOf } from "./mounts.ts";

const LONGEST = 4096;

/**
 * Where git keeps the history of what lies in this folder: in it, or above; for a worktree, elsewhere. Programs
 * may read it, so that they can ask git, and never write it.
 */
export function gitFolders(folder: string): string[] {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, ".git");
    if (realPathOf(git) !== undefined) return [git, ...linkedFrom(git)];
    if (at === dirname(at)) return [];
  }
}

/** In a worktree `.git` is a file that names its part of the main repository's folder. */
function linkedFrom(git: string): string[] {
  const named = /^gitdir: (.+)\n?$/.exec(textOf(git))?.[1];
  if (named === undefined) return [];
  const own = resolve(dirname(git), named);
  const common = textOf(join(own, "commondir")).trim();
  return common === "" ? [own] : [own, resolve(own, common)];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").slice(0, LONGEST);
  } catch {
    return ""; // a folder, or not there
  }
}
