import { constants } from "node:os";
import type { Exited } from "../ports/index.ts";
import type { ChildExit } from "./program.ts";

/** How a program ended that Node started itself. */
export function exitedOf(exit: ChildExit): Exited {
  if (exit.kind === "error") return { kind: "unstarted", message: exit.message };
  if (exit.signal !== null) return { kind: "killed", signal: exit.signal };
  return { kind: "exited", code: exit.code ?? 1 };
}

// Reversed: of two names for one signal the first counts, as it does for Node.
const SIGNAL_NAMES = new Map<number, string>(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .toReversed(),
);

/**
 * How a program ended that a launcher started. A launcher passes a code on as it is, and a deadly signal as
 * 128 and the signal's number. A program that itself exits with such a code (a shell does when its last
 * command was killed) cannot be told from one that was killed: it is taken for killed.
 */
export function exitedThroughLauncher(exit: ChildExit): Exited {
  const exited = exitedOf(exit);
  const signal = exited.kind === "exited" ? SIGNAL_NAMES.get(exited.code - 128) : undefined;
  return signal === undefined ? exited : { kind: "killed", signal };
}
