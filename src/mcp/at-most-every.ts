export interface Steady {
  /** At once, and waited for, if the last time is long enough ago; else soon, and nobody waits for it. */
  readonly ask: () => Promise<void>;
  /** What was put off is done now. */
  readonly flush: () => Promise<void>;
}

/** The same work, not again within `everyMs`. Whoever asks, a whole run of it comes after that. */
export function atMostEvery(everyMs: number, work: () => Promise<void>): Steady {
  let last = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  const now = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    last = performance.now();
    await work();
  };
  return {
    async ask() {
      const left = last + everyMs - performance.now();
      if (left <= 0) await now();
      else timer ??= setTimeout(() => void now(), left).unref();
    },
    async flush() {
      if (timer !== undefined) await now();
    },
  };
}
