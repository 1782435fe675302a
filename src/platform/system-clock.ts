import { setTimeout as delay } from "node:timers/promises";

const MAX_TIMER_MS = 2_147_483_647; // what a timer can hold; a longer one would fire at once

export const systemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    for (let left = ms; left > 0 && !signal.aborted; left -= MAX_TIMER_MS) {
      await delay(Math.min(left, MAX_TIMER_MS), undefined, { signal }).catch(() => undefined);
    }
  },
};
