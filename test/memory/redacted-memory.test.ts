import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fileMemory, redactedMemory } from "../../src/memory/index.ts";
import { freshFolder } from "../fresh-folder.ts";

test("a secret that is known is remembered by its name only, also in the file", async () => {
  const [file, user] = [join(freshFolder("memory"), "memory.db"), join(freshFolder("memory"), "none.db")];
  const secret = "sk-very-secret-0123456789";
  const plain = fileMemory({ project: file, user }, { now: () => 0 });
  const memory = redactedMemory(plain, { known: () => [["API_KEY", secret]] });
  const from = { by: "oracle", isPerson: false, task: null };
  const { entry } = await memory.add({ scope: "project", category: "notes", content: `the key is ${secret}`, from });
  expect(entry.content).toBe("the key is {{secret:API_KEY}}");
  expect(await memory.list({ scopes: ["project"], limit: 5 })).toEqual([entry]);
  expect(readFileSync(file).includes(secret)).toBe(false);
});
