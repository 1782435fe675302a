import { findProgram } from "../platform/find-program.ts";
import type { Command, Kept } from "../ports/index.ts";
import { noBytes } from "./byte-stream.ts";

/**
 * Starts the command with the file that its name means. What has no such file, or what Node refuses at once
 * (arguments that are too long, a NUL in one of them), was never started, and says so.
 */
export function startOrSay(command: Command, start: (resolved: Command) => Kept): Kept {
  const found = findProgram(command.file, { cwd: command.cwd, path: command.env["PATH"] });
  if (!found.ok) return unstarted(found.problem);
  try {
    return start({ ...command, file: found.file });
  } catch (error) {
    return unstarted(error instanceof Error ? error.message : String(error));
  }
}

function unstarted(message: string): Kept {
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
