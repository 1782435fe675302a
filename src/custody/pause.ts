import { systemClock } from "../platform/system-clock.ts";

/** Real time, on purpose: processes end in no other. */
export const pause = (ms: number): Promise<void> => systemClock.sleep(ms, new AbortController().signal);

/** Resolves when `isDone` says so, or when the time is over; says which. */
export async function until(isDone: () => boolean, limitMs: number, everyMs = 2): Promise<boolean> {
  const start = systemClock.monotonic();
  while (!isDone()) {
    if (systemClock.monotonic() - start >= limitMs) return false;
    await pause(everyMs);
  }
  return true;
}
