import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { ownCommand } from "../../src/app/hosts.ts";
import { ground, type TestGround } from "./ground.ts";

function installed(link: string): { here: TestGround; main: string; PATH: string } {
  const here = ground({ "~/lib/main.js": "#!/usr/bin/env node\n" });
  const main = here.file("~/lib/main.js");
  chmodSync(main, 0o755);
  mkdirSync(dirname(here.file(link)), { recursive: true });
  symlinkSync(main, here.file(link));
  return { here, main, PATH: dirname(here.file(link)) };
}

test("an installed cadre is started by its name", () => {
  const { here, main, PATH } = installed("~/bin/cadre");
  expect(ownCommand({ PATH }, here.project, main)).toEqual(["cadre"]);
});

test.each([
  ["another cadre", "~/bin/cadre", "~/other/main.js"],
  ["one that is only there while npm runs a script", "node_modules/.bin/cadre", "~/lib/main.js"],
  ["none", "~/bin/unicorn", "~/lib/main.js"],
])("with %s on the path, by this Node and its file", (_, link, own) => {
  const { here, PATH } = installed(link);
  here.write("~/other/main.js", "");
  expect(ownCommand({ PATH }, here.project, here.file(own))).toEqual([process.execPath, here.file(own)]);
});
