import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository, taskWith, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;

describe("a worktree", () => {
  test("is the last commit on a branch of its own, outside of what the project's git sees", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    expect(workspace.root).toBe(join(place.home, "worktrees", SESSION));
    expect(readdirSync(workspace.root).toSorted()).toEqual([".git", ".gitignore", "a.txt"]);
    expect(place.git("rev-parse", "cadre/writer-1")).toBe(place.git("rev-parse", "HEAD"));
    expect(place.git("status", "--porcelain")).toBe("");
    expect(workspace.reads).toEqual([join(place.project, ".git")]);
    expect(workspace.narrowed).toEqual([]);
  });

  test("has nothing of what is not committed, and says so", async () => {
    const place = repository();
    write(place.project, { "a.txt": "two\n", "new.txt": "new\n" });
    const workspace = await treesIn(place).trees.prepare(taskWith(), "worktree");
    expect(readFileSync(join(workspace.root, "a.txt"), "utf8")).toBe("one\n");
    expect(workspace.narrowed).toEqual(["changes of the project that are not committed are not in this worktree"]);
  });

  test("and its branch are gone when nothing was changed in it", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    write(workspace.root, { "ignored/cache": "of no worth" });
    expect(await workspace.release()).toBeNull();
    expect(existsSync(workspace.root)).toBe(false);
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
    expect(place.git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect((await trees.records.all()).records).toEqual([]);
  });

  test("is committed by Cadre when the attempt ends, with all that was done in it", async () => {
    const place = repository({
      "a.txt": "one\n",
      "old name.txt": "same\n".repeat(9),
      "gone.txt": "x\n",
      "run.sh": "#!/bin/sh\n",
    });
    const workspace = await treesIn(place).trees.prepare(taskWith(), "worktree");
    const { root } = workspace;
    renameSync(join(root, "old name.txt"), join(root, "-new\nname.txt"));
    rmSync(join(root, "gone.txt"));
    chmodSync(join(root, "run.sh"), 0o755);
    symlinkSync("a.txt", join(root, "link"));
    rmSync(join(root, "a.txt"));
    write(root, { "a.txt/inner": "a folder in place of a file\n", "bytes.bin": new Uint8Array([0, 255, 1, 2]) });
    const kept = await workspace.release();
    expect(kept).toMatchObject({ mode: "worktree", root, branch: "cadre/writer-1", files: 7, left: [] });
    const { commit = "", base = "" } = kept ?? {};
    expect(place.git("rev-parse", "cadre/writer-1").trim()).toBe(commit);
    expect(place.git("rev-parse", `${commit}^`).trim()).toBe(base);
    expect(place.git("log", "-1", "--format=%an <%ae>", commit).trim()).toBe("Cadre <cadre@localhost>");
    const files = place.git("ls-tree", "-r", "-z", commit).split("\0");
    expect(files.map((line) => [line.slice(0, 6), line.split("\t")[1]]).slice(0, -1)).toEqual([
      ["100644", "-new\nname.txt"],
      ["100644", ".gitignore"],
      ["100644", "a.txt/inner"],
      ["100644", "bytes.bin"],
      ["120000", "link"],
      ["100755", "run.sh"],
    ]);
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("is the same one for the next task of its session, and goes on from there", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const first = await trees.prepare(taskWith(), "worktree");
    write(first.root, { "b.txt": "b\n" });
    const kept = await first.release();
    const next = taskWith({}, { number: 2, session: SESSION });
    const second = await treesIn(place).trees.prepare(next, "worktree");
    expect(second.root).toBe(first.root);
    write(second.root, { "c.txt": "c\n" });
    expect(await second.release()).toMatchObject({ base: kept?.base, branch: "cadre/writer-1", files: 2 });
  });

  test("that somebody removed by hand is made again from its branch", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const first = await trees.prepare(taskWith(), "worktree");
    write(first.root, { "b.txt": "b\n" });
    await first.release();
    rmSync(first.root, { recursive: true });
    place.git("worktree", "prune");
    const second = await trees.prepare(taskWith(), "worktree");
    expect(readFileSync(join(second.root, "b.txt"), "utf8")).toBe("b\n");
  });

  test("that was half made when its worker was killed is made anew", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    await trees.prepare(taskWith(), "worktree");
    trees.records.change(SESSION, (record) => ({ ...record, state: "making", gitDir: "" }));
    rmSync(join(place.home, "worktrees", SESSION, "a.txt"));
    const again = await trees.prepare(taskWith(), "worktree");
    expect(readFileSync(join(again.root, "a.txt"), "utf8")).toBe("one\n");
    expect(await again.release()).toBeNull();
  });

  test("is shared by a child, and stays until the last one leaves", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const parent = await trees.prepare(taskWith(), "worktree");
    const child = await trees.prepare(taskWith({}, { name: "helper", worksIn: SESSION }), "worktree");
    expect(child.root).toBe(parent.root);
    expect(await parent.release()).toMatchObject({ files: 0 });
    write(child.root, { "late.txt": "late\n" });
    expect(await child.release()).toMatchObject({ files: 1, branch: "cadre/writer-1" });
    await expect(
      trees.prepare(taskWith({}, { name: "helper", worksIn: "sess_gone" }), "worktree"),
    ).rejects.toMatchObject({ code: "workspace.failed" });
  });

  test("is not removed by an attempt that has lost its task while the next one works in it", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const lost = await trees.prepare(taskWith(), "worktree", 1);
    const next = await trees.prepare(taskWith(), "worktree", 2);
    await lost.release();
    write(next.root, { "b.txt": "b\n" });
    expect(await next.release()).toMatchObject({ files: 1 });
  });

  test("has another name for its branch where that one is taken", async () => {
    const place = repository();
    place.git("branch", "cadre/writer-1");
    const { trees } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    write(workspace.root, { "b.txt": "b\n" });
    expect((await workspace.release())?.branch).toMatch(/^cadre\/writer-1-.+/);
    expect(place.git("rev-parse", "cadre/writer-1")).toBe(place.git("rev-parse", "main"));
  });

  test("with a repository in it is not removed, and that is said", async () => {
    const place = repository();
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    mkdirSync(join(workspace.root, "nested"));
    place.git("init", "--quiet", join(workspace.root, "nested"));
    write(workspace.root, { "nested/work.txt": "hours of work\n" });
    expect(await workspace.release()).toMatchObject({ files: 0, left: ["nested"] });
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "nothing" });
    expect(readFileSync(join(workspace.root, "nested/work.txt"), "utf8")).toBe("hours of work\n");
  });

  test("that is not on its branch any more is left as it is", async () => {
    const place = repository();
    const workspace = await treesIn(place).trees.prepare(taskWith(), "worktree");
    write(workspace.root, { "b.txt": "b\n" });
    place.git("-C", workspace.root, "checkout", "--quiet", "--detach");
    await expect(workspace.release()).rejects.toMatchObject({ code: "workspace.failed" });
    expect(readFileSync(join(workspace.root, "b.txt"), "utf8")).toBe("b\n");
  });

  test("has its files read and written below its root", async () => {
    const place = repository({ "docs/a.md": "a\n" });
    const workspace = await treesIn(place).trees.prepare(taskWith({ path: "docs" }), "worktree");
    expect(workspace.base).toBe(join(place.home, "worktrees", SESSION));
    expect(workspace.root).toBe(join(workspace.base, "docs"));
    await workspace.files.write("b.md", "b\n");
    expect(await workspace.files.read("b.md")).toBe("b\n");
    await expect(workspace.files.read("../.gitignore")).rejects.toMatchObject({ code: "input.invalid" });
  });

  test.each(["..", "/etc"])("is nothing outside of the project: %s", async (path) => {
    const { trees } = treesIn(repository());
    await expect(trees.prepare(taskWith({ path }), "worktree")).rejects.toMatchObject({ code: "admission.refused" });
  });
});

describe("the folder of the trees", () => {
  test("is not one behind a link", async () => {
    const place = repository();
    mkdirSync(join(place.userHome, "elsewhere"));
    mkdirSync(place.home);
    symlinkSync(join(place.userHome, "elsewhere"), join(place.home, "worktrees"));
    await expect(treesIn(place).trees.prepare(taskWith(), "worktree")).rejects.toMatchObject({
      code: "workspace.failed",
    });
    expect(readdirSync(join(place.userHome, "elsewhere"))).toEqual([]);
  });

  test("a tree that is a link is not worked in", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const { root } = await trees.prepare(taskWith(), "worktree");
    rmSync(root, { recursive: true });
    symlinkSync(place.userHome, root);
    await expect(trees.prepare(taskWith(), "worktree")).rejects.toMatchObject({ code: "workspace.failed" });
    expect(lstatSync(root).isSymbolicLink()).toBe(true);
  });

  test("a record that cannot be read is said, and nothing is made in its place", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const { root } = await trees.prepare(taskWith(), "worktree");
    writeFileSync(`${root}.json`, "{}");
    await expect(trees.prepare(taskWith(), "worktree")).rejects.toMatchObject({
      code: "workspace.failed",
      message: expect.stringContaining(`${SESSION}.json`),
    });
    expect(statSync(join(root, "a.txt")).isFile()).toBe(true);
  });
});
