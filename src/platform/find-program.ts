// Which file a program's name means, and whether it can be started: before it is, so that "it was never
// started" is known and not guessed from an exit code, which might be the program's own.
import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";

export interface Lookup {
  readonly cwd: string;
  /** Where to look for a name without a slash; undefined: where the system looks by itself. */
  readonly path: string | undefined;
}

export type FoundProgram =
  | { readonly ok: true; readonly file: string }
  | { readonly ok: false; readonly problem: string };

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

export function findProgram(name: string, { cwd, path = DEFAULT_PATH }: Lookup): FoundProgram {
  if (name === "" || name.includes("\0")) return { ok: false, problem: "there is no program to start" };
  if (stat(cwd)?.isDirectory() !== true)
    return { ok: false, problem: `the folder to start it in does not exist: ${cwd}` };
  const folders = name.includes("/") ? ["."] : path.split(":"); // an empty one means the current folder
  let problem: string | undefined;
  for (const folder of folders) {
    const file = resolve(cwd, folder, name);
    const found = stat(file);
    if (found === undefined) continue;
    const wrong = found.isFile() ? problemOf(file, name) : `${name} is not a program: it is no regular file`;
    if (wrong === undefined) return { ok: true, file };
    problem ??= wrong;
  }
  const where = name.includes("/") ? "" : ` in ${path}`;
  return { ok: false, problem: problem ?? `there is no program ${name}${where}` };
}

function problemOf(file: string, name: string): string | undefined {
  if (!isExecutable(file)) return `${name} is not executable`;
  const interpreter = interpreterOf(file);
  if (interpreter === undefined || isExecutable(interpreter)) return undefined;
  return `${name} needs ${interpreter} to run it, which is not there or not executable`;
}

/** What stands behind `#!`: a script whose interpreter is missing fails as if the script itself were. */
function interpreterOf(file: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch {
    return undefined; // may be run and not read
  }
  try {
    const head = Buffer.alloc(256);
    const line = head.toString("latin1", 0, readSync(fd, head)).split("\n", 1)[0] ?? "";
    return /^#!\s*(\/[^\s]*)/.exec(line)?.[1];
  } finally {
    closeSync(fd);
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function stat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }); // most folders of a PATH do not have it, and an error takes long to make
  } catch {
    return undefined; // also what lies below a folder that may not be entered
  }
}
