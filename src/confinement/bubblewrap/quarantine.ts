// A protected file that is not there cannot be mounted over without leaving one behind on the machine. So programs
// can make one; it is taken away when they have ended, before anybody else runs what it says.
import { cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isWithin } from "../../domain/scopes.ts";
import type { Protected } from "./find-protected.ts";

export interface Quarantined {
  readonly path: string;
  /** `null`: it was not moved, and is still there. */
  readonly to: string | null;
}

/**
 * Moves whatever is new in the workspace. Nothing is deleted: it may be what a person wanted. Elsewhere others may
 * be at work (in /tmp, say), and nobody can tell whose it is: there it is only said.
 */
export function takeAwayNew(
  before: Protected["found"],
  now: Protected["found"],
  root: string,
  quarantine: string,
): Quarantined[] {
  return [...now]
    .filter(([path, { identity }]) => before.get(path)?.identity !== identity)
    .map(([path]) => ({
      path,
      to: isWithin(path, root) ? movedTo(path, join(quarantine, relative(root, path))) : null,
    }));
}

/** Where it is now; null where it could not be moved. */
export function movedTo(path: string, wanted: string): string | null {
  try {
    const to = freeName(wanted);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    rename(path, to);
    return to;
  } catch {
    return null;
  }
}

function rename(path: string, to: string): void {
  try {
    renameSync(path, to);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EXDEV")) throw error;
    cpSync(path, to, { recursive: true, verbatimSymlinks: true });
    rmSync(path, { recursive: true });
  }
}

/** An earlier attempt of the task may have left one of the same name. */
function freeName(path: string): string {
  for (let number = 2, name = path; ; number++) {
    if (!existsSync(name) && lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
    name = join(dirname(path), `${basename(path)}.${number}`);
  }
}
