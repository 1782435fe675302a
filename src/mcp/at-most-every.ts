import { setTimeout as pause } from "node:timers/promises";

/**
 * The same work, but not again within `everyMs` of its last start: whoever asks meanwhile gets the next one. So what a
 * caller did before asking is always before a whole run of the work.
 */
export function atMostEvery(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let last = -Infinity;
  let next: Promise<void> | undefined;
  return () =>
    (next ??= (async () => {
      await pause(Math.max(0, last + everyMs - performance.now()), undefined, { ref: false });
      next = undefined;
      last = performance.now();
      await work();
    })());
}
