import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accessToken } from "../../src/http/access-token.ts";
import { freshFolder } from "../fresh-folder.ts";

const folder = () => freshFolder("token");

test("a token is made once, long, for its owner only, and stays", async () => {
  const path = join(folder(), "deep", "serve-token");
  const token = await accessToken(path);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, "utf8")).toBe(`${token}\n`);
  expect(await accessToken(path)).toBe(token);
  expect(await accessToken(join(folder(), "serve-token"))).not.toBe(token);
});

test("several at once agree on one", async () => {
  const path = join(folder(), "serve-token");
  const tokens = await Promise.all(Array.from({ length: 20 }, () => accessToken(path)));
  expect(new Set(tokens).size).toBe(1);
});

const refused = (path: string, why: string) =>
  expect(accessToken(path)).rejects.toMatchObject({ code: "input.invalid", message: expect.stringContaining(why) });

test("one that others can read, that is a link, or that is no token is not used", async () => {
  const base = folder();
  const path = join(base, "serve-token");
  const token = await accessToken(path);
  chmodSync(path, 0o644);
  await refused(path, "read by others");
  chmodSync(path, 0o600);
  expect(await accessToken(path)).toBe(token);
  const link = join(base, "link");
  symlinkSync(path, link);
  await refused(link, "link");
  await refused(base, "serve-token".slice(0, 0)); // a folder
  for (const text of ["", "short", `${"x".repeat(40)} ${"y".repeat(40)}`, "z".repeat(5_000)]) {
    const odd = join(base, `odd-${text.length}`);
    writeFileSync(odd, text, { mode: 0o600 });
    await refused(odd, "token");
  }
});
