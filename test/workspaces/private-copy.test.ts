import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository, taskWith, temporaryFolder, type TestProject, treesIn, WISH, write } from "./kit.ts";

const SANDBOX = taskWith({ mode: "sandbox" });
const SESSION = SANDBOX.spec.session;

/** A folder without any git around it. */
function plainProject(files: Readonly<Record<string, string>>): TestProject {
  const base = temporaryFolder();
  const project = join(base, "project");
  write(project, files);
  const noGit = (): never => {
    throw new Error("there is no repository");
  };
  return { project, home: join(project, ".cadre"), userHome: base, git: noGit };
}

describe("a private copy", () => {
  test("of a repository has what is tracked and what is new, and not what is ignored, nor `.git`", async () => {
    const place = repository({ "a.txt": "one\n", "deep/b.txt": "b\n" });
    write(place.project, { "a.txt": "not committed\n", "new.txt": "new\n", "ignored/big": "x" });
    const workspace = await treesIn(place).trees.prepare(SANDBOX, "sandbox");
    expect(readdirSync(workspace.root).toSorted()).toEqual([".gitignore", "a.txt", "deep", "new.txt"]);
    expect(readFileSync(join(workspace.root, "a.txt"), "utf8")).toBe("not committed\n");
    expect(workspace.narrowed[0]).toBe("this is a copy of the project, without its .git");
    expect(workspace.reads).toEqual([]);
    write(workspace.root, { "a.txt": "changed\n" });
    expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("not committed\n");
    expect(await workspace.release()).toMatchObject({ mode: "sandbox", branch: null, files: 1 });
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
  });

  test("of a folder without git has everything but Cadre's own, and is merged like any other", async () => {
    const place = plainProject({ "a.txt": "one\n", "b/c.txt": "c\n", ".cadre/config.yml": "{}\n" });
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(SANDBOX, "sandbox");
    expect(readdirSync(workspace.root).toSorted()).toEqual(["a.txt", "b"]);
    write(workspace.root, { "a.txt": "two\n", "d.txt": "d\n" });
    await workspace.release();
    write(place.project, { "b/c.txt": "meanwhile\n" });
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "merged", commit: null, into: null, left: null });
    expect(readFileSync(join(place.project, "a.txt"), "utf8")).toBe("two\n");
    expect(readFileSync(join(place.project, "b/c.txt"), "utf8")).toBe("meanwhile\n");
    expect(readFileSync(join(place.project, "d.txt"), "utf8")).toBe("d\n");
    expect(existsSync(join(place.project, ".git"))).toBe(false);
    expect(readdirSync(join(place.home, "worktrees"))).toEqual([".gitignore"]);
  });

  test("keeps links that stay inside, and leaves out those that lead elsewhere", async () => {
    const place = repository({ "a.txt": "one\n", "dir/x": "x\n" });
    const secret = join(place.userHome, "secret");
    write(place.userHome, { secret: "of the user\n" });
    symlinkSync("a.txt", join(place.project, "inside"));
    symlinkSync("../a.txt", join(place.project, "dir/up"));
    symlinkSync(secret, join(place.project, "absolute"));
    symlinkSync("../secret", join(place.project, "climbing"));
    const workspace = await treesIn(place).trees.prepare(SANDBOX, "sandbox");
    expect(lstatSync(join(workspace.root, "inside")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(workspace.root, "dir/up"), "utf8")).toBe("one\n");
    expect(existsSync(join(workspace.root, "absolute"))).toBe(false);
    expect(existsSync(join(workspace.root, "climbing"))).toBe(false);
    expect(workspace.narrowed).toContain("links that lead out of the project are left out: absolute, climbing");
    expect(await workspace.release()).toBeNull();
    expect(lstatSync(join(place.project, "absolute")).isSymbolicLink()).toBe(true);
  });

  test("is gone when nothing was changed in it, and goes on for the next task when something was", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const first = await trees.prepare(SANDBOX, "sandbox");
    expect(await first.release()).toBeNull();
    expect(existsSync(first.root)).toBe(false);
    expect(existsSync(`${first.root}.git`)).toBe(false);
    const second = await trees.prepare(SANDBOX, "sandbox");
    write(second.root, { "b.txt": "b\n" });
    await second.release();
    const third = await treesIn(place).trees.prepare(SANDBOX, "sandbox");
    expect(readFileSync(join(third.root, "b.txt"), "utf8")).toBe("b\n");
  });

  test("that was half made is made anew", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const first = await trees.prepare(SANDBOX, "sandbox");
    trees.records.change(SESSION, (record) => ({ ...record, state: "making" }));
    write(first.root, { "half.txt": "" });
    const again = await trees.prepare(SANDBOX, "sandbox");
    expect(readdirSync(again.root).toSorted()).toEqual([".gitignore", "a.txt"]);
  });

  test("keeps who may run what", async () => {
    const place = repository();
    write(place.project, { "run.sh": "#!/bin/sh\n" });
    const { chmodSync } = await import("node:fs");
    chmodSync(join(place.project, "run.sh"), 0o755);
    mkdirSync(join(place.project, "empty"));
    const workspace = await treesIn(place).trees.prepare(SANDBOX, "sandbox");
    expect(statSync(join(workspace.root, "run.sh")).mode & 0o111).not.toBe(0);
    expect(await workspace.release()).toBeNull();
  });
});
