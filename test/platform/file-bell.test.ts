import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileBell } from "../../src/platform/file-bell.ts";
import { freshFolder } from "../fresh-folder.ts";

/** So that nothing but a hint can have been the reason. */
const HARDLY_EVER_MS = 3_600_000;

test("what counts only a moment after it was written is heard, without another hint", async () => {
  const file = join(freshFolder("bell"), "file");
  const rung = Promise.withResolvers<void>();
  let looks = 0;
  using _bell = fileBell(file, () => ++looks > 3, rung.resolve, HARDLY_EVER_MS);
  writeFileSync(file, "", { flag: "a" }); // one hint: the file is new
  await rung.promise;
  expect(looks).toBeGreaterThan(3);
});

test("whoever stops listening when it rings is asked nothing more", async () => {
  const file = join(freshFolder("bell"), "file");
  const rung = Promise.withResolvers<void>();
  let looks = 0;
  const ring = () => {
    bell[Symbol.dispose]();
    rung.resolve();
  };
  const bell = fileBell(file, () => ++looks > 0, ring, HARDLY_EVER_MS);
  writeFileSync(file, "");
  await rung.promise;
  const after = Promise.withResolvers<void>();
  setTimeout(after.resolve, 50); // longer than it would look again
  await after.promise;
  expect(looks).toBe(1);
});
