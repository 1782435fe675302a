// Folders of Cadre's own, below which a model's paths are opened, when somebody else puts a link in their place.
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openConfined, replaceConfined } from "../../src/platform/confined-files.ts";
import { ConfinedRoot } from "../../src/platform/confined-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

async function places() {
  const folder = await temporaryFolder();
  const [own, elsewhere] = [join(folder.path, "plans"), join(folder.path, "elsewhere")];
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "secret.md"), "not ours\n");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return { own, elsewhere };
}

describe("a folder of our own", () => {
  test("that is a link is neither written nor read through, and nothing lies where it leads", async () => {
    const { own, elsewhere } = await places();
    symlinkSync(elsewhere, own);
    await using root = new ConfinedRoot(own, { isOurs: true });
    await expect(replaceConfined(root, "plan.md", "text\n")).rejects.toThrow(/plans .*\bis a link\b/);
    await expect(openConfined(root, "secret.md")).rejects.toThrow(/plans .*\bis a link\b/);
    expect(readdirSync(elsewhere)).toEqual(["secret.md"]);
  });

  test("that is a link to nowhere is not made there", async () => {
    const { own, elsewhere } = await places();
    symlinkSync(join(elsewhere, "new"), own);
    await using root = new ConfinedRoot(own, { isOurs: true });
    await expect(replaceConfined(root, "plan.md", "text\n")).rejects.toThrow(/plans/);
    expect(existsSync(join(elsewhere, "new"))).toBe(false);
  });

  test("that becomes a link between two attempts is noticed by the next, and held by the one before", async () => {
    const { own, elsewhere } = await places();
    await using before = new ConfinedRoot(own, { isOurs: true });
    await replaceConfined(before, "plan.md", "one\n");
    renameSync(own, `${own}.moved`);
    symlinkSync(elsewhere, own);
    await replaceConfined(before, "plan.md", "two\n");
    await using after = new ConfinedRoot(own, { isOurs: true });
    await expect(replaceConfined(after, "plan.md", "three\n")).rejects.toThrow(/is a link/);
    expect(readdirSync(elsewhere)).toEqual(["secret.md"]);
    expect(readdirSync(`${own}.moved`)).toEqual(["plan.md"]);
  });

  test("a workspace may be reached by a link: it is the person's own to name", async () => {
    const { own, elsewhere } = await places();
    symlinkSync(elsewhere, own);
    await using root = new ConfinedRoot(own);
    await using file = await openConfined(root, "secret.md");
    expect(file.info.size).toBe(9n);
  });
});
