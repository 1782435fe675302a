import type { Worker } from "../schema/index.ts";

/**
 * Whether a worker still lives.
 *
 * - MUST compare boot, pid namespace, pid and start time: a pid alone is used again.
 * - MUST say "unknown" for a worker on another machine: only its lease can tell, and that is the store's.
 * - MUST NOT look at a clock.
 */
export interface Liveness {
  readonly self: Worker;
  check(worker: Worker): Promise<"alive" | "dead" | "unknown">;
}
