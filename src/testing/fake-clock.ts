import type { Clock } from "../ports/index.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** Time that passes only when a test says so. */
export interface FakeClock extends Clock {
  /**
   * Lets this much time pass, waking sleepers in their order, and lets everything that follows from each
   * happen before the next.
   */
  advance(ms: number): Promise<void>;
  /** Lets everything happen that needs no time. */
  settle(): Promise<void>;
  /** The clock on the wall is set, as by a person or a time server. No duration changes. */
  jump(ms: number): void;
  readonly sleepers: number;
}

// Promise chains are finite, so a fixed number of rounds of the macrotask queue lets them all run dry
// without measuring time. setImmediate, not a timer: nothing here waits.
const settle = async () => {
  for (let round = 0; round < 20; round++) await new Promise<void>((resolve) => setImmediate(resolve));
};

export function fakeClock(start = Date.parse("2026-01-01T00:00:00Z")): FakeClock {
  let elapsed = 0;
  let offset = start;
  const sleepers = new Set<Sleeper>();
  const alarm = (ms: number, ring: () => void): Disposable => {
    const sleeper: Sleeper = {
      at: elapsed + ms,
      wake: () => {
        if (sleepers.delete(sleeper)) ring();
      },
    };
    sleepers.add(sleeper);
    if (ms <= 0) queueMicrotask(sleeper.wake);
    return { [Symbol.dispose]: () => void sleepers.delete(sleeper) };
  };

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    sleep(ms, signal) {
      if (ms <= 0 || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          sleeping[Symbol.dispose]();
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const sleeping = alarm(ms, wake);
        signal.addEventListener("abort", wake);
      });
    },
    alarm,
    async advance(ms) {
      const end = elapsed + ms;
      await settle();
      for (;;) {
        const next = [...sleepers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        elapsed = Math.max(elapsed, next.at);
        next.wake();
        await settle();
      }
      elapsed = end;
      await settle();
    },
    settle,
    jump: (ms) => {
      offset += ms;
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}
