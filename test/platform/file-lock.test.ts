// What the other tests of locks do not see: how one looks from outside while it is being made.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { withFileLock } from "../../src/platform/file-lock.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Reads the lock until it is told to end; says when it was there for the first time, and how often without its holder. */
const LOOKER = `
  const { readFileSync, existsSync } = require("node:fs");
  const [lock, end] = process.argv.slice(1);
  let [seen, empty] = [0, 0];
  for (const until = Date.now() + 30_000; !existsSync(end) && Date.now() < until;) {
    for (let looks = 0; looks < 200; looks++) {
      try {
        const found = readFileSync(lock, "utf8");
        if (seen++ === 0) console.log("seen");
        if (!found.endsWith("}")) empty++;
      } catch {}
    }
  }
  console.log(JSON.stringify({ empty }));
`;

test("a lock is never there without its holder: whoever is killed right then would keep all others out", async () => {
  await using made = await temporaryFolder();
  const folder = made.path;
  const file = join(folder, "thing");
  const child = spawn(process.execPath, ["-e", LOOKER, `${file}.lock`, join(folder, "end")], { timeout: 60_000 });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
  // It may begin late, and see none of the first ones.
  for (let round = 0, looked = 0; looked < 400 && round < 40_000; round++) {
    await withFileLock(file, systemClock, async () => undefined);
    if (said.length > 0) looked++;
  }
  await writeFile(join(folder, "end"), "");
  await once(child, "close");
  expect(said.join("")).toBe('seen\n{"empty":0}\n');
  expect(await readdir(folder), "nothing is left beside it").toEqual(["end"]);
}, 60_000);

test("whoever waits for a lock can be told to stop waiting", async () => {
  await using made = await temporaryFolder();
  const file = join(made.path, "thing");
  const [has, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = withFileLock(file, systemClock, () => {
    has.resolve();
    return held.promise;
  });
  await has.promise;
  const over = new AbortController();
  const stuck = () => new Error("never said");
  let isEntered = false;
  const waiting = withFileLock(file, systemClock, async () => void (isEntered = true), {
    waitMs: 60_000,
    stuck,
    signal: over.signal,
  });
  setTimeout(() => over.abort(new Error("stopped")), 50);
  await expect(waiting).rejects.toThrow("stopped");
  held.resolve();
  await holding;
  expect(isEntered).toBe(false);
  expect(await readdir(made.path)).toEqual([]);
});
