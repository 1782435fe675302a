// Projects that are not simply the top of a repository with a commit.
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openWorkspaces } from "../../src/workspaces/open-workspaces.ts";
import { OwnTrees } from "../../src/workspaces/trees/own-trees.ts";
import { gitIn, repository, taskWith, temporaryFolder, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;
const WORKTREE = { mode: "worktree", allow_writes: true } as const;

function workspacesFor(project: string) {
  const where = { project, home: join(project, ".cadre") };
  return openWorkspaces({ ...where, roots: [], trees: async () => new OwnTrees(where) });
}

describe("no worktree can be made, which admission is told with what to do instead:", () => {
  const SANDBOX = expect.stringContaining("--workspace sandbox");

  test("without a repository", async () => {
    const project = temporaryFolder();
    const found = await workspacesFor(project).obstacle?.(WORKTREE);
    expect(found).toEqual({ message: expect.stringContaining("does not lie in a git repository"), hint: SANDBOX });
    await expect(workspacesFor(project).prepare(taskWith(), 1)).rejects.toMatchObject({ code: "workspace.failed" });
    expect(existsSync(join(project, ".cadre/worktrees", SESSION))).toBe(false);
  });

  test("without a commit", async () => {
    const project = temporaryFolder();
    gitIn(project)("init", "--quiet");
    const found = await workspacesFor(project).obstacle?.(WORKTREE);
    expect(found).toEqual({ message: expect.stringContaining("no commit yet"), hint: SANDBOX });
  });

  test("in a repository without a work tree", async () => {
    const project = temporaryFolder();
    gitIn(project)("init", "--quiet", "--bare");
    const found = await workspacesFor(project).obstacle?.(WORKTREE);
    expect(found).toEqual({ message: expect.stringContaining("without a work tree"), hint: SANDBOX });
  });

  test("of a folder that is not in the last commit", async () => {
    const { project } = repository();
    mkdirSync(join(project, "new"));
    const inner = join(project, "new");
    await expect(workspacesFor(inner).prepare(taskWith(), 1)).rejects.toMatchObject({
      message: expect.stringContaining("not in the last commit"),
      hint: SANDBOX,
    });
  });
});

test("a project that is a folder of its repository works in that folder of the worktree", async () => {
  const outer = repository({ "top.txt": "top\n", "packages/app/a.txt": "a\n" });
  const project = join(outer.project, "packages/app");
  const place = { ...outer, project, home: join(project, ".cadre") };
  const { trees, shelf } = treesIn(place);
  const workspace = await trees.prepare(taskWith(), "worktree");
  expect(workspace.root).toBe(join(place.home, "worktrees", SESSION, "packages/app"));
  write(workspace.root, { "a.txt": "changed\n", ".npmrc": "x\n" });
  await workspace.release();
  expect(await shelf.changes(SESSION)).toMatchObject({ protected: ["packages/app/.npmrc"] });
  expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("changed\n");
  expect(outer.git("status", "--porcelain")).toBe("");
});

test("a project that is itself a worktree gets its own branch merged", async () => {
  const main = repository();
  const project = join(main.userHome, "feature");
  main.git("worktree", "add", "--quiet", "-b", "feature", project);
  const place = { project, home: join(project, ".cadre"), userHome: main.userHome, git: gitIn(project) };
  const { trees, shelf } = treesIn(place);
  const workspace = await trees.prepare(taskWith(), "worktree");
  expect(workspace.reads).toEqual([join(main.project, ".git")]);
  write(workspace.root, { "b.txt": "b\n" });
  await workspace.release();
  expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged", into: "feature" });
  expect(existsSync(join(project, "b.txt"))).toBe(true);
  expect(existsSync(join(main.project, "b.txt"))).toBe(false);
});

test("submodules are empty in a worktree, and stay as they are in a merge", async () => {
  const library = repository({ "lib.c": "int x;\n" });
  const place = repository();
  place.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.project, "lib");
  place.git("commit", "--quiet", "--message=with a submodule");
  const { trees, shelf } = treesIn(place);
  const workspace = await trees.prepare(taskWith(), "worktree");
  expect(existsSync(join(workspace.root, "lib/lib.c"))).toBe(false);
  write(workspace.root, { "b.txt": "b\n" });
  expect(await workspace.release()).toMatchObject({ files: 1, left: [] });
  expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
  expect(existsSync(join(place.project, "lib/lib.c"))).toBe(true);
  expect(place.git("status", "--porcelain")).toBe("");
});

describe("a folder of the user's own:", () => {
  const custom = (path: string | undefined) =>
    ({ mode: "custom", allow_writes: true, ...(path === undefined ? {} : { path }) }) as const;

  test("is worked in where their settings open it, and nowhere else", async () => {
    const [project, root] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(join(root, "inner"));
    const where = { project, home: join(project, ".cadre") };
    const workspaces = openWorkspaces({ ...where, roots: [root], trees: async () => new OwnTrees(where) });
    expect(await workspaces.obstacle?.(custom(join(root, "inner")))).toBeNull();
    const workspace = await workspaces.prepare(taskWith(custom(join(root, "inner"))), 1);
    expect(workspace.root).toBe(join(root, "inner"));
    await workspace.files.write("a.txt", "a");
    expect(await workspace.release()).toBeNull();
    expect(readFileSync(join(root, "inner/a.txt"), "utf8")).toBe("a");
    for (const path of [temporaryFolder(), "inner", undefined, join(root, "absent"), join(root, "..")])
      expect(await workspaces.obstacle?.(custom(path))).toMatchObject({ message: expect.any(String) });
    await expect(workspaces.prepare(taskWith(custom(temporaryFolder())), 1)).rejects.toMatchObject({
      code: "admission.refused",
      hint: expect.stringContaining("security.workspace_roots"),
    });
  });

  test("is not one behind a link", async () => {
    const [project, root, other] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    const where = { project, home: join(project, ".cadre") };
    const workspaces = openWorkspaces({ ...where, roots: [root], trees: async () => new OwnTrees(where) });
    const { symlinkSync } = await import("node:fs");
    symlinkSync(other, join(root, "link"));
    mkdirSync(join(other, "deep"));
    for (const path of [join(root, "link"), join(root, "link/deep")])
      expect(await workspaces.obstacle?.(custom(path))).toMatchObject({ message: expect.any(String) });
    writeFileSync(join(root, "file"), "");
    expect(await workspaces.obstacle?.(custom(join(root, "file")))).toMatchObject({ message: expect.any(String) });
  });
});

test("a private copy says which repositories of the project are not in it, and a worktree which submodules", async () => {
  const library = repository({ "lib.c": "int x;\n" });
  const place = repository();
  place.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library.project, "lib");
  place.git("commit", "--quiet", "--message=with a submodule");
  mkdirSync(join(place.project, "other"));
  place.git("init", "--quiet", join(place.project, "other"));
  write(place.project, { "other/x.txt": "x\n" });
  const { trees } = treesIn(place);
  const copy = await trees.prepare(taskWith({ mode: "sandbox" }), "sandbox");
  expect(copy.narrowed).toContain("repositories in the project are left out: lib, other");
  const worktree = await trees.prepare(taskWith({}, { number: 2 }), "worktree");
  expect(worktree.narrowed).toContain("submodules are empty here: lib");
});

test("a branch that is called cadre is not in the way of worktrees", async () => {
  const place = repository();
  place.git("branch", "cadre");
  const { trees, shelf } = treesIn(place);
  const workspace = await trees.prepare(taskWith(), "worktree");
  write(workspace.root, { "b.txt": "b\n" });
  expect(await workspace.release()).toMatchObject({ branch: "cadre-writer-1" });
  expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged", into: "main" });
  expect(place.git("branch", "--list", "cadre*").trim()).toBe("cadre");
});

describe("a worktree that is not whole any more", () => {
  async function worked() {
    const place = repository();
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith(), "worktree");
    write(workspace.root, { "b.txt": "b\n" });
    await workspace.release();
    const [gitDir = ""] = workspace.reads.map((common) => join(common, "worktrees", SESSION));
    return { place, shelf, root: workspace.root, gitDir };
  }

  test("and was removed with git: what it had committed is merged from its branch", async () => {
    const { place, shelf, root } = await worked();
    place.git("worktree", "remove", "--force", root);
    expect(await shelf.changes(SESSION)).toMatchObject({ files: [{ path: "b.txt", change: "A" }] });
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(readFileSync(join(place.project, "b.txt"), "utf8")).toBe("b\n");
    expect(await shelf.list()).toEqual([]);
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
  });

  test("because git's own files of it are gone: that is said, and it can be thrown away", async () => {
    const { shelf, root, gitDir } = await worked();
    rmSync(gitDir, { recursive: true });
    expect(await shelf.list()).toMatchObject([{ isUncommitted: true }]);
    for (const look of [shelf.changes(SESSION), shelf.merge(SESSION, WISH)])
      await expect(look).rejects.toMatchObject({ code: "workspace.failed", message: expect.stringContaining(root) });
    expect(existsSync(join(root, "b.txt"))).toBe(true);
    await shelf.discard(SESSION);
    expect(existsSync(root)).toBe(false);
  });

  test("because a machine went down while git wrote there: the lock that is left is old, and removed", async () => {
    const { shelf, root, gitDir } = await worked();
    write(root, { "c.txt": "c\n" });
    const lock = join(gitDir, "index.lock");
    writeFileSync(lock, "");
    await expect(shelf.changes(SESSION)).rejects.toMatchObject({ message: expect.stringContaining("index.lock") });
    utimesSync(lock, new Date(0), new Date(0));
    expect(await shelf.changes(SESSION)).toMatchObject({ files: [{ path: "b.txt" }, { path: "c.txt" }] });
  });
});
