import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  const other = join(`${file}-bells`, `${Date.now()}-1-${"x".repeat(16)}`);
  mkdirSync(`${file}-bells`);
  writeFileSync(other, "");
  const bell = () => readFileSync(other, "utf8");
  const store = await sqliteStore(file, fakeClock(), fakeMint());
  await store.acknowledge([], "ada");
  expect(bell()).toBe("+"); // somebody came
  await admitted(store);
  expect(bell()).toBe("!");
  await store.close();
});
