import assert from "node:assert/strict";
import { storeCase } from "./contract-case.ts";

const limited = { account: "A_KEY", backend: "claude", why: "too much" } as const;
const MINUTE_MS = 60_000;

export const coolDownCases = [
  storeCase("a backend that was limited rests for a minute, in every process, and then no more", async (given) => {
    const { store, clock, another } = given;
    const { until } = await store.coolDown(limited);
    assert.equal(until, clock.now() + MINUTE_MS);
    const other = await another();
    assert.deepEqual(await other.coolDowns(), [{ ...limited, until, times: 1 }]);
    await clock.advance(MINUTE_MS);
    assert.deepEqual(await other.coolDowns(), []);
  }),

  storeCase(
    "it rests twice as long each time that it is limited again, and what it says itself counts",
    async (given) => {
      const { store, clock } = given;
      await store.coolDown(limited);
      await clock.advance(MINUTE_MS);
      const again = await store.coolDown(limited);
      assert.deepEqual([again.times, again.until], [2, clock.now() + 2 * MINUTE_MS]);
      const said = await store.coolDown({ ...limited, account: "ANOTHER", retryAfterMs: 5_000 });
      assert.equal(said.until, clock.now() + 5_000);
      assert.equal((await store.coolDowns()).length, 2);
    },
  ),
];
