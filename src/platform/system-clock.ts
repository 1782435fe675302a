const MAX_TIMER_MS = 2_147_483_647; // what a timer can hold; a longer one would fire at once

export const systemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    for (let left = ms; left > 0 && !signal.aborted; left -= MAX_TIMER_MS) {
      await pause(Math.min(left, MAX_TIMER_MS), signal);
    }
  },
};

/** By hand: being woken early is the usual end of a sleep here, and no error that has to be made and caught. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", wake); // it would be kept for as long as the signal is
      resolve();
    }, ms);
    signal.addEventListener("abort", wake); // which comes once
  });
}
