import { describe, expect, test } from "vitest";
import { fakeClock, memoryStore, storeContract } from "../../src/testing/index.ts";

describe("the memory store keeps the store's contract:", () => {
  const open = async () => {
    const clock = fakeClock();
    const store = memoryStore(clock);
    return { store, clock, another: async () => store };
  };
  test.each(storeContract)("$name", async ({ run }) => {
    await expect(run(open)).resolves.toBeUndefined();
  });
});
