// Files that are run later, where there are too many to mount each of them: remembered, and put back as they were.
import { lstatSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { admissionRefused } from "../../errors/index.ts";
import { movedTo, type Quarantined } from "./quarantine.ts";

export interface WasPutBack extends Quarantined {
  readonly isBack: boolean;
}

const MOST_BYTES = 64 * 1024 * 1024;

export class PutBack {
  readonly #contents: ReadonlyMap<string, { readonly bytes: Buffer; readonly mode: number }>;

  constructor(paths: readonly string[]) {
    let left = MOST_BYTES;
    this.#contents = new Map(
      paths.flatMap((path) => {
        const info = lstatSync(path, { throwIfNoEntry: false });
        if (info?.isFile() !== true) return [];
        left -= info.size;
        if (left < 0)
          throw admissionRefused(
            "confinement",
            `files that are run later have more than ${MOST_BYTES} bytes in all, where this agent may write`,
            "Give it the folders that it writes in (policy.fs.write), or a tree of its own (workspace: worktree).",
          );
        return [[path, { bytes: readFileSync(path), mode: info.mode & 0o777 }]];
      }),
    );
  }

  /** After what is new was moved away. What stands there instead is kept as well. */
  settle(root: string, quarantine: string): WasPutBack[] {
    return [...this.#contents].flatMap(([path, { bytes, mode }]): WasPutBack[] => {
      let to: string | null = null;
      try {
        if (!leadsThere(path)) return [{ path, to, isBack: false }];
        if (holds(path, bytes)) return [];
        const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
        if (isThere) to = movedTo(path, join(quarantine, relative(root, path)));
        if (isThere && to === null) return [{ path, to, isBack: false }];
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bytes, { mode, flag: "wx" });
        return [{ path, to, isBack: true }];
      } catch {
        return [{ path, to, isBack: false }]; // one that cannot be put back must not keep the others from it
      }
    });
  }
}

/** Not through a link that a program has put in the place of a folder: there it could not have written itself. */
function leadsThere(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const info = lstatSync(folder, { throwIfNoEntry: false });
    if (info !== undefined) return info.isDirectory() && realpathSync(folder) === folder;
  }
}

/** One that cannot be read any more does not. */
function holds(path: string, bytes: Buffer): boolean {
  try {
    const info = lstatSync(path);
    return info.isFile() && info.size === bytes.length && readFileSync(path).equals(bytes);
  } catch {
    return false;
  }
}
