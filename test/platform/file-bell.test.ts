import { lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fileBell } from "../../src/platform/file-bell.ts";
import { freshFolder } from "../fresh-folder.ts";

/** So that nothing but the bell can have been the reason. */
const HARDLY_EVER_MS = 3_600_000;

describe("a bell between processes", () => {
  test("what was done before it rings is seen by whoever listens", async () => {
    const file = join(freshFolder("bell"), "bell");
    const rung = Promise.withResolvers<void>();
    let isDone = false;
    using _ear = fileBell(file, () => isDone, rung.resolve, HARDLY_EVER_MS);
    using rope = fileBell(
      file,
      () => false,
      () => undefined,
      HARDLY_EVER_MS,
    );
    isDone = true;
    rope.ring();
    await rung.promise;
    expect(readFileSync(file, "utf8")).toBe("!");
    expect(lstatSync(file).mode & 0o777).toBe(0o600);
  });

  test("what nobody rang for is seen a little later", async () => {
    const file = join(freshFolder("bell"), "bell");
    const rung = Promise.withResolvers<void>();
    using _ear = fileBell(file, () => true, rung.resolve, 20);
    await expect(rung.promise).resolves.toBeUndefined();
  });

  test("whoever stops listening when it rings is asked nothing more", async () => {
    const file = join(freshFolder("bell"), "bell");
    const rung = Promise.withResolvers<void>();
    let looks = 0;
    const heard = () => {
      ear[Symbol.dispose]();
      rung.resolve();
    };
    const ear = fileBell(file, () => ++looks > 0, heard, HARDLY_EVER_MS);
    using rope = fileBell(
      file,
      () => false,
      () => undefined,
      HARDLY_EVER_MS,
    );
    rope.ring();
    await rung.promise;
    for (let ring = 0; ring < 3; ring++) rope.ring();
    await sleep(50);
    ear.ring();
    expect(looks).toBe(1);
  });

  test.each([
    ["a link", (path: string) => symlinkSync(`${path}-elsewhere`, path)],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("%s in its place is not written to, and nothing fails", async (_what, put) => {
    const file = join(freshFolder("bell"), "bell");
    writeFileSync(`${file}-elsewhere`, "somebody else's");
    put(file);
    const rung = Promise.withResolvers<void>();
    using ear = fileBell(file, () => true, rung.resolve, 20);
    ear.ring();
    await rung.promise;
    expect(readFileSync(`${file}-elsewhere`, "utf8")).toBe("somebody else's");
  });
});
