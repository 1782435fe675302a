import type { CustodyTier, TaskId, WorkerId } from "../schema/index.ts";
import type { Command } from "./confinement.ts";

export type Exited =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  /** It was never started: no such program, not executable. */
  | { readonly kind: "unstarted"; readonly message: string };

/** A program that was started in custody. */
export interface Kept {
  readonly pid: number | undefined;
  /** Bytes as they come. A reader that is slow slows the program down; nothing is buffered without a bound. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  readonly exited: Promise<Exited>;
  /** Resolves when it is taken, or the program does not listen any more: that is no error. */
  write(bytes: Uint8Array | string): Promise<void>;
  endInput(): void;
  /** A wish, to the program and what it leads. Whether it follows is its own affair. */
  signal(name: "SIGTERM" | "SIGINT"): void;
}

/** All that one attempt has started. */
export interface Keep {
  spawn(command: Command): Kept;
  /**
   * Ends whatever is left, by force, and resolves when it is gone. Called once for every attempt, however it
   * went; afterwards `spawn` MUST refuse.
   */
  endAll(): Promise<void>;
}

/**
 * Keeps hold of processes, so that none is left behind.
 *
 * - `namespace`: everything that an attempt starts lives in a process namespace of its own. When its first
 *   process dies, the kernel ends all of it, also what called setsid or scrubbed its environment; and it MUST
 *   die when its worker does, also by SIGKILL.
 * - `tracked`: process group, parents and an environment marker. A process that scrubs its environment and
 *   is adopted by init is not covered; the tier says so in every task.
 * - A process MUST NOT be signalled by its number alone: numbers are used again. Start time and marker must fit.
 */
export interface Custody {
  readonly tier: CustodyTier;
  open(owner: { readonly worker: WorkerId; readonly task: TaskId; readonly attempt: number }): Keep;
  /** Ends what a dead worker left behind; says how many processes that were. */
  sweep(worker: WorkerId): Promise<number>;
}
