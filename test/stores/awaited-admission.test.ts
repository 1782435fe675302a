// Whoever relies on a task's end alone does not wait for the disk at its beginning. Whether the disk was waited for is seen
// by what becomes of it where the disk has a fault: the log is flushed by a file that is not there.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { Store } from "../../src/ports/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { admission, admitted } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

interface Faulty {
  readonly store: Store;
  readonly file: string;
  /** From now on the disk can be flushed. */
  readonly mend: () => void;
}

async function withFault(): Promise<Faulty> {
  const file = join(freshFolder("awaited"), "cadre.db");
  const open = () => sqliteStore(file, fakeClock(), fakeMint());
  await (await open()).close(); // what gives the file its shape waits for the disk
  const store = await open();
  rmSync(`${file}-wal`);
  return { store, file, mend: () => writeFileSync(`${file}-wal`, "") };
}

const FAULT = { code: "store.unavailable", message: expect.stringContaining("the disk reports an error") };
const awaited = () => admission({}, { isAwaited: true });

test("an admission that is not awaited waits for the disk", async () => {
  const { store, mend } = await withFault();
  await expect(store.admit([admission()])).rejects.toMatchObject(FAULT);
  mend();
  await store.close();
});

test("one that is awaited does not, and is flushed soon after by itself", async () => {
  const { store, mend } = await withFault();
  expect(await store.admit([awaited(), awaited()])).toMatchObject({ kind: "admitted" });
  await systemClock.sleep(400, new AbortController().signal); // several times as long as it waits
  mend();
  // The flush has been tried: what went wrong with it is told to whoever comes next.
  await expect(admitted(store)).rejects.toMatchObject(FAULT);
  await admitted(store);
  await store.close();
});

test("one that is awaited is flushed at the latest when the store is closed", async () => {
  const { store } = await withFault();
  await store.admit([awaited()]);
  await expect(store.close()).rejects.toMatchObject(FAULT);
});

test("where one of a list is not awaited, all of it waits for the disk", async () => {
  const { store, mend } = await withFault();
  await expect(store.admit([awaited(), admission(), awaited()])).rejects.toMatchObject(FAULT);
  mend();
  await store.close();
});

test("an admission that is awaited and shares its commit with one that is not waits for nothing", async () => {
  const { store, mend } = await withFault();
  const [one, other] = await Promise.allSettled([store.admit([awaited()]), store.admit([admission()])]);
  expect(one).toMatchObject({ status: "fulfilled" });
  expect(other).toMatchObject({ status: "rejected", reason: FAULT });
  mend();
  await store.close();
});
