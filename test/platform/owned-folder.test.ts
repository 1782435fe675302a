import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OwnedFolder } from "../../src/platform/owned-folder.ts";
import { freshFolder } from "../fresh-folder.ts";

test.for([0, 10, 3_000_000])("%i bytes are there as a whole", (size) => {
  const path = freshFolder("owned");
  const folder = new OwnedFolder(path);
  const text = "0123456789".repeat(size / 10 + 1).slice(0, size);
  folder.create("new", text);
  folder.replace("again", "what was there before");
  folder.replace("again", text);
  expect(folder.append("longer", Buffer.from("first "))).toEqual({ rest: Buffer.alloc(0), error: null });
  expect(folder.append("longer", Buffer.from(text))).toEqual({ rest: Buffer.alloc(0), error: null });
  const read = (name: string) => readFileSync(join(path, name), "utf8");
  expect(read("new") === text).toBe(true);
  expect(read("again") === text).toBe(true);
  expect(read("longer") === `first ${text}`).toBe(true);
  expect(readdirSync(path)).toHaveLength(3);
});
