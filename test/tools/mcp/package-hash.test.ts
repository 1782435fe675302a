import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageHash } from "../../../src/tools/mcp/packages/package-hash.ts";
import { freshFolder } from "../../fresh-folder.ts";

test("changes with every file; what is neither a file, a folder nor a link is in no package", async () => {
  const folder = freshFolder("package");
  const hash = () => packageHash([{ name: "one@1.0.0", folder }]);
  writeFileSync(join(folder, "index.js"), "1");
  const first = await hash();
  expect(await hash()).toBe(first);
  writeFileSync(join(folder, "index.js"), "2");
  expect(await hash()).not.toBe(first);
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(folder, "pipe")]);
  await expect(hash()).rejects.toThrow("is no file of a package");
});
