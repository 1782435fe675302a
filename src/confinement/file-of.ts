import { findProgram } from "../platform/find-program.ts";
import type { Command } from "../ports/index.ts";

/** The file that a command runs, as its own environment finds it; what is not found fails where it is started. */
export function fileOf({ file, cwd, env }: Command): string {
  const found = findProgram(file, { cwd, path: env["PATH"] });
  return found.ok ? found.file : file;
}
