import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";
import { Database } from "../../src/stores/sqlite/database.ts";
import { LogFlush } from "../../src/stores/sqlite/log-flush.ts";
import { freshFolder } from "../fresh-folder.ts";

const database = (): string => join(freshFolder("flush"), "cadre.db");

test("those who ask while a flush is on its way share the next, and never that one", async () => {
  const file = database();
  writeFileSync(`${file}-wal`, "log");
  const log = new LogFlush(file);
  const first = log.flush();
  await Promise.resolve(); // it is on its way
  await Promise.resolve();
  await Promise.resolve();
  const [second, third] = [log.flush(), log.flush()];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  await Promise.all([first, second, third]);
  await log.close();
});

test("a flush that fails is told to those who asked for it, and to nobody after them", async () => {
  const file = database();
  const log = new LogFlush(file);
  const [one, other] = [log.flush(), log.flush()];
  await expect(one).rejects.toMatchObject({ code: "ENOENT" });
  await expect(other).rejects.toMatchObject({ code: "ENOENT" });
  writeFileSync(`${file}-wal`, "log");
  await log.flush();
  await log.close();
});

test("a flush that fails and that nobody waited for is told to whoever asks next, and to nobody after that", async () => {
  const file = database();
  const log = new LogFlush(file);
  log.flushSoon();
  await systemClock.sleep(400, new AbortController().signal); // several times as long as it waits
  writeFileSync(`${file}-wal`, "log");
  await expect(log.flush()).rejects.toMatchObject({ code: "ENOENT" });
  await log.flush();
  await log.close();
});

test("what is due is flushed before the log is closed, and what goes wrong then is told to whoever closes", async () => {
  const log = new LogFlush(database());
  log.flushSoon();
  await expect(log.close()).rejects.toMatchObject({ code: "ENOENT" });
  await log.close();
});

test("what went wrong before the log is closed is told to whoever closes, unless somebody was told already", async () => {
  const late = new LogFlush(database());
  late.flushSoon();
  await systemClock.sleep(400, new AbortController().signal); // several times as long as it waits
  await expect(late.close()).rejects.toMatchObject({ code: "ENOENT" });

  const log = new LogFlush(database());
  await expect(log.flush()).rejects.toMatchObject({ code: "ENOENT" });
  await log.close();
});

test("a database whose last flush fails says so in words when it is closed, and is closed", async () => {
  const file = database();
  const opened = await Database.open(file);
  await opened.transaction("soon", () => opened.run("CREATE TABLE things (id TEXT)"));
  rmSync(`${file}-wal`);
  await expect(opened.close()).rejects.toMatchObject({
    code: "store.unavailable",
    message: expect.stringContaining("the disk reports an error"),
  });
  expect(() => opened.all("SELECT * FROM things")).toThrow("not open");
});
