import { findProgram } from "../platform/find-program.ts";
import type { Command, Kept } from "../ports/index.ts";
import { noBytes } from "./byte-stream.ts";

/** The same command with the file that its name means, or why there is none. */
export function resolveCommand(command: Command): Command | { readonly problem: string } {
  const found = findProgram(command.file, { cwd: command.cwd, path: command.env["PATH"] });
  return found.ok ? { ...command, file: found.file } : { problem: found.problem };
}

export function unstarted(message: string): Kept {
  return {
    pid: undefined,
    stdout: noBytes,
    stderr: noBytes,
    exited: Promise.resolve({ kind: "unstarted", message }),
    write: async () => undefined,
    endInput: () => undefined,
    signal: () => undefined,
  };
}

/** What Node throws instead of saying it later: arguments that are too long, a NUL in one of them. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
