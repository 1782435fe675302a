import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/platform/system-clock.ts";
import { LogFlush } from "../../src/stores/sqlite/log-flush.ts";

function database(): string {
  const folder = mkdtempSync(join(tmpdir(), "cadre-flush-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "cadre.db");
}

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
  await systemClock.sleep(100, new AbortController().signal); // ten times as long as it waits
  writeFileSync(`${file}-wal`, "log");
  await expect(log.flush()).rejects.toMatchObject({ code: "ENOENT" });
  await log.flush();
  await log.close();
});
