import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";

const DAYS_30 = 30 * 24 * 3_600_000; // more than a timer of Node can hold

/** Longer than the millisecond after which a timer that overflows would fire, and then a few rounds of the loop. */
async function pastAnOverflow(): Promise<void> {
  const start = performance.now();
  while (performance.now() - start < 3);
  for (let round = 0; round < 5; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}

describe("the system's clock", () => {
  test("tells the time, and durations that never go back", () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
    const first = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
  });

  test.each([1000, DAYS_30])("a sleep of %i ms ends early when it is aborted, and is no error", async (ms) => {
    const enough = new AbortController();
    const sleeping = systemClock.sleep(ms, enough.signal);
    enough.abort(new Error("enough"));
    await expect(sleeping).resolves.toBeUndefined();
  });

  test.each([1000, DAYS_30])("a sleep of %i ms that is aborted before it begins ends at once", async (ms) => {
    await expect(systemClock.sleep(ms, AbortSignal.abort())).resolves.toBeUndefined();
  });

  test.each([0, -5])("a sleep of %i ms ends at once", async (ms) => {
    await expect(systemClock.sleep(ms, new AbortController().signal)).resolves.toBeUndefined();
  });

  test("a sleep of a month does not fire at once", async () => {
    const enough = new AbortController();
    let isAwake = false;
    const sleeping = systemClock.sleep(DAYS_30, enough.signal).then(() => (isAwake = true));
    await pastAnOverflow();
    expect(isAwake).toBe(false);
    enough.abort();
    await sleeping;
  });
});
