import type { Store } from "../../ports/index.ts";
import type { FakeClock } from "../fake-clock.ts";

export interface StoreUnderTest {
  readonly store: Store;
  /** What the store tells the time by. */
  readonly clock: FakeClock;
  /** The same data through another handle, as another process would have it. */
  readonly another: () => Promise<Store>;
}

/**
 * One promise of a port, with its proof. Plain data, so that any test runner can run it:
 * `test.each(storeContract)("$name", ({ run }) => run(open))`.
 */
export interface ContractCase {
  readonly name: string;
  readonly run: (open: () => Promise<StoreUnderTest>) => Promise<void>;
}

/** A case that needs nothing but the store. */
export const storeCase = (name: string, prove: (given: StoreUnderTest) => Promise<void>): ContractCase => ({
  name,
  async run(open) {
    const given = await open();
    try {
      await prove(given);
    } finally {
      await given.store.close();
    }
  },
});
