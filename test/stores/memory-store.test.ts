import { describe, test } from "vitest";
import { fakeClock, memoryStore, storeContract } from "../../src/testing/index.ts";

describe("the memory store keeps the store's contract:", () => {
  const open = async () => {
    const clock = fakeClock();
    const store = memoryStore(clock);
    return { store, clock, another: async () => store };
  };
  for (const { name, run } of storeContract) test(name, () => run(open));
});
