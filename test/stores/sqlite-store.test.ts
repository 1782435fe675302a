import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint, storeContract } from "../../src/testing/index.ts";
import { freshFolder } from "../fresh-folder.ts";

describe("the SQLite store keeps the store's contract:", () => {
  const open = async () => {
    const clock = fakeClock();
    const file = join(freshFolder("store"), "cadre.db");
    const handle = () => sqliteStore(file, clock, fakeMint());
    return { store: await handle(), clock, another: handle };
  };
  test.each(storeContract)("$name", async ({ run }) => {
    await expect(run(open)).resolves.toBeUndefined();
  });
});
