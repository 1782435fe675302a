import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint, storeContract } from "../../src/testing/index.ts";
import { admitted } from "../../src/testing/store-contract/given.ts";
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

test("what is committed is rung for other processes, and what changes nothing is not", async () => {
  const file = join(freshFolder("store"), "cadre.db");
  const store = await sqliteStore(file, fakeClock(), fakeMint());
  const bell = () => readFileSync(`${file}-bell`, "utf8");
  await store.acknowledge([], "ada");
  expect(bell()).toBe("");
  await admitted(store);
  expect(bell()).toBe("!");
  await store.close();
});
