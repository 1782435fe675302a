import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PutBack } from "../../src/confinement/bubblewrap/put-back.ts";
import { freshFolder } from "../fresh-folder.ts";

function lay() {
  const base = freshFolder("put-back");
  const [root, elsewhere] = [join(base, "project"), join(base, "elsewhere")];
  const [a, b] = [join(root, "a/package.json"), join(root, "b/package.json")];
  for (const name of ["a", "b"]) mkdirSync(join(root, name), { recursive: true });
  mkdirSync(elsewhere);
  for (const file of [a, b]) writeFileSync(file, "mine");
  const putBack = new PutBack([a, b]);
  return { root, elsewhere, a, b, settle: () => putBack.settle(root, join(base, "quarantine")) };
}

test("what was changed or is gone is as it was", () => {
  const { a, b, settle } = lay();
  writeFileSync(a, "evil");
  rmSync(b);
  expect(settle().map(({ path, isBack }) => [path, isBack])).toEqual([
    [a, true],
    [b, true],
  ]);
  for (const file of [a, b]) expect(readFileSync(file, "utf8")).toBe("mine");
  expect(settle()).toEqual([]);
});

test("nothing is moved or written through a link that took the place of a folder", () => {
  const { root, elsewhere, a, b, settle } = lay();
  renameSync(join(root, "a"), join(root, "was-a"));
  renameSync(join(root, "b"), join(root, "was-b"));
  symlinkSync(elsewhere, join(root, "a"));
  symlinkSync(join(elsewhere, "missing"), join(root, "b"));
  writeFileSync(join(elsewhere, "package.json"), "somebody else's");
  expect(settle()).toEqual([a, b].map((path) => ({ path, to: null, isBack: false })));
  expect(readFileSync(join(elsewhere, "package.json"), "utf8")).toBe("somebody else's");
});

test("one that cannot be put back is said, and the others are put back", () => {
  const { root, a, b, settle } = lay();
  rmSync(join(root, "a"), { recursive: true });
  writeFileSync(join(root, "a"), "a file where a folder was");
  writeFileSync(b, "evil");
  expect(settle().map(({ path, isBack }) => [path, isBack])).toEqual([
    [a, false],
    [b, true],
  ]);
  expect(readFileSync(b, "utf8")).toBe("mine");
});
