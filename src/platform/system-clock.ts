const MAX_TIMER_MS = 2_147_483_647; // what a timer can hold; a longer one would fire at once

export const systemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  alarm,
  /** By hand: being woken early is the usual end of a sleep here, and no error that has to be made and caught. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        timer[Symbol.dispose]();
        resolve();
      };
      const timer = alarm(ms, () => {
        signal.removeEventListener("abort", wake); // it would be kept for as long as the signal is
        resolve();
      });
      signal.addEventListener("abort", wake); // which comes once
    });
  },
};

function alarm(ms: number, ring: () => void): Disposable {
  let timer: NodeJS.Timeout;
  const set = (left: number) => {
    timer =
      left > MAX_TIMER_MS ? setTimeout(set, MAX_TIMER_MS, left - MAX_TIMER_MS) : setTimeout(ring, Math.max(0, left));
  };
  set(ms);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
