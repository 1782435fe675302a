import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openHatches, removeHatches } from "../../src/app/hatch.ts";
import { hatchFolder, hatchOf } from "../../src/app/hatch-folder.ts";
import { sendLetter } from "../../src/platform/letter-box.ts";
import { sha256 } from "../../src/platform/system-mint.ts";
import { brandId } from "../../src/schema/index.ts";
import { taskIn } from "../domain/samples.ts";
import { freshFolder } from "../fresh-folder.ts";

const task = taskIn("running");
const wish = { task, token: "the token", scope: () => undefined };
const freshHome = () => freshFolder("hatch");

test("one that a killed worker has left is not taken for a hatch", () => {
  const home = freshHome();
  mkdirSync(hatchFolder(home, task.id), { recursive: true });
  openHatches(home, { sha256 }, () => Promise.resolve(null))(wish);
  expect(hatchOf(home, { CADRE_ATTEMPT: task.id })).toBeUndefined();
});

test("answers by the attempt's token only, and is gone when it is closed", async () => {
  const home = freshHome();
  const hatch = openHatches(home, { sha256 }, async (operation) => `did ${operation}`)(wish);
  const folder = hatch.folder();
  const ask = async (token: string): Promise<unknown> =>
    JSON.parse(await sendLetter(folder, JSON.stringify({ token, operation: "task.list", input: {} })));
  expect(await ask("the token")).toEqual({ value: "did task.list" });
  expect(await ask("another")).toMatchObject({ error: { code: "authority.denied" } });
  await hatch.close();
  expect(existsSync(folder)).toBe(false);
});

test("those of tasks that nobody runs are removed, and those of others stay", async () => {
  const home = freshHome();
  const ended = brandId("task", "ended");
  for (const name of [task.id, ended, "nonsense"])
    mkdirSync(join(hatchFolder(home, name), "deeper"), { recursive: true });
  const views = new Map([
    [task.id, task],
    [ended, { ...taskIn("completed"), id: ended }],
  ]);
  await removeHatches({ task: async (id) => views.get(id) }, home);
  expect(readdirSync(join(home, "hatches"))).toEqual([task.id]);
});
