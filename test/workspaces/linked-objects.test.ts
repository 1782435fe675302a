// A private copy takes over what the project's git holds already, and does not depend on it afterwards.
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { OwnTrees } from "../../src/workspaces/trees/own-trees.ts";
import { gitIn, repository, taskWith, temporaryFolder, type TestProject, treesIn, WISH, write } from "./kit.ts";

const SANDBOX = taskWith({ mode: "sandbox" });
const SESSION = SANDBOX.spec.session;
const ANOTHER_DISK = "/dev/shm";

const objectsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const copyObjects = ({ home }: TestProject): string[] =>
  objectsOf(join(home, "worktrees", `${SESSION}.git`, "objects"));

async function mergedAfter(place: TestProject, meanwhile: () => void): Promise<string> {
  const { trees, shelf } = treesIn(place);
  const workspace = await trees.prepare(SANDBOX, "sandbox");
  write(workspace.root, { "a.txt": "changed\n" });
  await workspace.release();
  meanwhile();
  expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
  return readFileSync(join(place.project, "a.txt"), "utf8");
}

describe("objects of the project", () => {
  test("are further names of the same files, loose or packed", async () => {
    for (const pack of [false, true]) {
      const place = repository();
      if (pack) place.git("gc", "--quiet");
      await treesIn(place).trees.prepare(SANDBOX, "sandbox");
      const shared = copyObjects(place).filter((file) => statSync(file).nlink > 1);
      expect(shared.some((file) => file.endsWith(".pack"))).toBe(pack);
      expect(shared.length).toBeGreaterThan(0);
    }
  });

  test("may be swept away there: the copy is merged all the same", async () => {
    const place = repository({ "a.txt": "one\n", "b.txt": "b\n" });
    const text = await mergedAfter(place, () => {
      rmSync(join(place.project, ".git", "objects"), { recursive: true });
    });
    expect(text).toBe("changed\n");
  });

  test("of another format are not taken", async () => {
    const place = repository();
    rmSync(join(place.project, ".git"), { recursive: true });
    const git = gitIn(place.project);
    git("init", "--quiet", "--object-format=sha256");
    git("add", "--all");
    git("commit", "--quiet", "--message=first");
    expect(await mergedAfter(place, () => undefined)).toBe("changed\n");
  });

  test("that are links are not taken: what they lead to may be anything", async () => {
    const place = repository();
    place.git("gc", "--quiet");
    const folder = join(place.project, ".git", "objects", "pack");
    const elsewhere = temporaryFolder();
    for (const name of readdirSync(folder)) {
      renameSync(join(folder, name), join(elsewhere, name));
      symlinkSync(join(elsewhere, name), join(folder, name));
    }
    await treesIn(place).trees.prepare(SANDBOX, "sandbox");
    expect(copyObjects(place).filter((file) => file.endsWith(".pack"))).toEqual([]);
  });

  test.runIf(existsSync(ANOTHER_DISK) && statSync(ANOTHER_DISK).dev !== statSync("/tmp").dev)(
    "on another disk are written again",
    async () => {
      const place = repository();
      const home = mkdtempSync(join(ANOTHER_DISK, "cadre-objects-"));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      const trees = new OwnTrees({ project: place.project, home });
      const workspace = await trees.prepare(SANDBOX, "sandbox");
      write(workspace.root, { "a.txt": "changed\n" });
      expect(await workspace.release()).toMatchObject({ files: 1 });
      const objects = copyObjects({ ...place, home });
      expect(objects.length).toBeGreaterThan(0);
      expect(objects.filter((file) => statSync(file).nlink > 1)).toEqual([]);
    },
  );
});
