import type { Clock } from "../../ports/index.ts";

/** What `work` comes to, or undefined where that takes longer. */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  const done = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, done.signal).then(() => undefined)]);
  } finally {
    done.abort();
  }
}
