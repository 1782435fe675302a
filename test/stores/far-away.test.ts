import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { freshFolder } from "../fresh-folder.ts";

const NFS = { type: 0x6969, name: "", options: "" };
const EXT4 = { type: 0xef53, name: "", options: "" };

const fileIn = () => join(freshFolder("far"), "cadre.db");

test("a store on a network file system is refused, with what to do, before a file is made", async () => {
  const file = fileIn();
  const asked: string[] = [];
  const opening = sqliteStore(file, fakeClock(), fakeMint(), (folder) => {
    asked.push(folder);
    return NFS;
  });
  await expect(opening).rejects.toMatchObject({
    code: "store.unavailable",
    message: expect.stringContaining("is on a network file system"),
    hint: expect.stringContaining("--home"),
  });
  expect(asked).toEqual([dirname(file)]);
  expect(existsSync(file)).toBe(false);
});

test.each([
  ["on a local disk", EXT4],
  ["where the system does not say what it is on", undefined],
])("a store %s opens", async (_where, found) => {
  const store = await sqliteStore(fileIn(), fakeClock(), fakeMint(), () => found);
  expect(await store.head()).toBe(0);
  await store.close();
});
