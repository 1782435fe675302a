import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";

const TIMER_MAX = 2 ** 31 - 1; // a longer timer of Node fires at once
const DAYS_30 = 30 * 24 * 3_600_000;

/** Several times longer than the millisecond after which a timer that overflows would fire. */
async function pastAnOverflow(): Promise<void> {
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    while (performance.now() - start < 2);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
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

  test("a sleep that is over leaves nothing with a signal that lives on", async () => {
    const enough = new AbortController();
    await systemClock.sleep(1, enough.signal);
    expect(getEventListeners(enough.signal, "abort")).toEqual([]);
  });

  test.each([0, -5])("a sleep of %i ms ends at once", async (ms) => {
    await expect(systemClock.sleep(ms, new AbortController().signal)).resolves.toBeUndefined();
  });

  test.each([TIMER_MAX, TIMER_MAX + 1, DAYS_30])("a sleep of %i ms does not end at once", async (ms) => {
    const enough = new AbortController();
    let isAwake = false;
    const sleeping = systemClock.sleep(ms, enough.signal).then(() => (isAwake = true));
    await pastAnOverflow();
    expect(isAwake).toBe(false);
    enough.abort();
    await sleeping;
  });

  test.each([1, 0, -5])("an alarm in %i ms rings once, and not before it is set", async (ms) => {
    const rung = Promise.withResolvers<void>();
    let rings = 0;
    const alarm = systemClock.alarm(ms, () => {
      rings++;
      rung.resolve();
    });
    expect(rings).toBe(0);
    await rung.promise;
    await pastAnOverflow();
    expect(rings).toBe(1);
    alarm[Symbol.dispose](); // which is no mistake
  });

  test.each([0, 1, TIMER_MAX + 1, DAYS_30])("an alarm in %i ms that is called off does not ring", async (ms) => {
    let rings = 0;
    const alarm = systemClock.alarm(ms, () => rings++);
    alarm[Symbol.dispose]();
    await pastAnOverflow();
    expect(rings).toBe(0);
  });

  test.each([1000, TIMER_MAX, TIMER_MAX + 1, DAYS_30])("an alarm in %i ms does not ring at once", async (ms) => {
    let rings = 0;
    using _alarm = systemClock.alarm(ms, () => rings++);
    await pastAnOverflow();
    expect(rings).toBe(0);
  });
});
