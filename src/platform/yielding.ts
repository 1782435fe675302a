import { setImmediate } from "node:timers/promises";

const FRAME_MS = 8;

/** Once what has happened so far has been looked at. */
export const nextRound = (): Promise<void> => setImmediate();

/**
 * Lets the event loop breathe. Work that is synchronous and asked for again and again would otherwise keep
 * timers and sockets waiting for as long as it goes on, although every piece of it is short.
 */
export function yielding(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < FRAME_MS) return undefined;
    return nextRound().then(() => {
      since = performance.now();
    });
  };
}
