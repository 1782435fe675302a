import {
  chmodSync,
  existsSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository, taskWith, type TestProject, type TestShelf, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;

type Mode = "worktree" | "sandbox";

/** Work that somebody did in a tree of its own. */
async function worked(place: TestProject, mode: Mode, work: (root: string) => void): Promise<TestShelf> {
  const { trees, shelf } = treesIn(place);
  const workspace = await trees.prepare(taskWith({ mode }), mode);
  work(workspace.root);
  await workspace.release();
  return shelf;
}

const text = ({ project }: TestProject, path: string): string => readFileSync(join(project, path), "utf8");
const treeOf = ({ home }: TestProject): string => join(home, "worktrees", SESSION);

describe.each(["worktree", "sandbox"] as const)("from a %s", (mode) => {
  test("everything comes into the project, beside what was done there meanwhile, and the tree is gone", async () => {
    const place = repository({
      "a.txt": "one\n",
      "old name.txt": "same\n".repeat(9),
      "gone.txt": "x\n",
      "run.sh": "#!/bin/sh\n",
    });
    const shelf = await worked(place, mode, (root) => {
      renameSync(join(root, "old name.txt"), join(root, "-new\nname.txt"));
      rmSync(join(root, "gone.txt"));
      chmodSync(join(root, "run.sh"), 0o755);
      symlinkSync("a.txt", join(root, "link"));
      write(root, { "deep/er/b.bin": new Uint8Array([0, 255, 10, 0]) });
    });
    write(place.project, { "a.txt": "ours\n" });
    if (mode === "worktree") place.git("commit", "--quiet", "--all", "--message=ours");
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged", left: null });
    expect(text(place, "a.txt")).toBe("ours\n");
    expect(text(place, "-new\nname.txt")).toBe("same\n".repeat(9));
    expect(existsSync(join(place.project, "old name.txt"))).toBe(false);
    expect(existsSync(join(place.project, "gone.txt"))).toBe(false);
    expect(statSync(join(place.project, "run.sh")).mode & 0o111).not.toBe(0);
    expect(readlinkSync(join(place.project, "link"))).toBe("a.txt");
    expect([...readFileSync(join(place.project, "deep/er/b.bin"))]).toEqual([0, 255, 10, 0]);
    expect(existsSync(treeOf(place))).toBe(false);
    expect(await shelf.list()).toEqual([]);
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
  });

  test("changes of one file on both sides become one", async () => {
    const place = repository({ "a.txt": "1\n2\n3\n4\n5\n6\n7\n" });
    const shelf = await worked(place, mode, (root) => write(root, { "a.txt": "1\n2\n3\n4\n5\n6\nseven\n" }));
    write(place.project, { "a.txt": "one\n2\n3\n4\n5\n6\n7\n" });
    if (mode === "worktree") place.git("commit", "--quiet", "--all", "--message=ours");
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(text(place, "a.txt")).toBe("one\n2\n3\n4\n5\n6\nseven\n");
  });

  test("conflicts are named, all of them, and nothing is touched on either side", async () => {
    const place = repository({ "a.txt": "one\n", "b.txt": "one\n", "fine.txt": "one\n", "gone.txt": "one\n" });
    const shelf = await worked(place, mode, (root) => {
      write(root, { "a.txt": "theirs\n", "b.txt": "theirs\n", "fine.txt": "theirs\n", "gone.txt": "theirs\n" });
    });
    write(place.project, { "a.txt": "ours\n", "b.txt": "ours\n" });
    rmSync(join(place.project, "gone.txt"));
    if (mode === "worktree") place.git("commit", "--quiet", "--all", "--message=ours");
    const before = place.git("status", "--porcelain");
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "conflicts", paths: ["a.txt", "b.txt", "gone.txt"] });
    expect(text(place, "a.txt")).toBe("ours\n");
    expect(text(place, "fine.txt")).toBe("one\n");
    expect(place.git("status", "--porcelain")).toBe(before);
    expect(readFileSync(join(treeOf(place), "a.txt"), "utf8")).toBe("theirs\n");
    expect(await shelf.list()).toHaveLength(1);
  });

  test("a dry one changes nothing", async () => {
    const place = repository();
    const shelf = await worked(place, mode, (root) => write(root, { "a.txt": "two\n" }));
    expect(await shelf.merge(SESSION, { ...WISH, dry: true })).toMatchObject({ kind: "merged", commit: null });
    expect(text(place, "a.txt")).toBe("one\n");
    expect(existsSync(treeOf(place))).toBe(true);
  });

  test("what lies in the way, unknown to git, is named and stays", async () => {
    const place = repository();
    const shelf = await worked(place, mode, (root) => write(root, { "new.txt": "theirs\n", ".gitignore": "" }));
    write(place.project, { ".gitignore": "ignored/\n", "new.txt": "ours\n" });
    const answer = await shelf.merge(SESSION, WISH);
    // A copy is compared with the project as it is, so there it is a conflict.
    expect(answer).toEqual(
      mode === "worktree" ? { kind: "in-the-way", paths: ["new.txt"] } : { kind: "conflicts", paths: ["new.txt"] },
    );
    expect(text(place, "new.txt")).toBe("ours\n");
  });

  test("what a killed worker left uncommitted is listed, shown and merged", async () => {
    const place = repository();
    const { trees } = treesIn(place);
    const { root } = await trees.prepare(taskWith({ mode }), mode);
    write(root, { "b.txt": "left\n" });
    const { shelf } = treesIn(place); // as another process has it
    expect(await shelf.list()).toMatchObject([{ session: SESSION, mode, isUncommitted: true, root }]);
    expect(await shelf.changes(SESSION)).toMatchObject({ files: [{ path: "b.txt", change: "A", insertions: 1 }] });
    expect(await shelf.list()).toMatchObject([{ isUncommitted: false }]);
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(text(place, "b.txt")).toBe("left\n");
  });

  test("what is thrown away is gone, and nothing else", async () => {
    const place = repository();
    const shelf = await worked(place, mode, (root) => write(root, { "b.txt": "b\n" }));
    await shelf.discard(SESSION);
    expect(existsSync(treeOf(place))).toBe(false);
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
    expect(place.git("status", "--porcelain")).toBe("");
    expect(await shelf.changes(SESSION)).toBeNull();
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "nothing" });
  });

  test("changes are shown by file and as a whole, with the protected ones", async () => {
    const place = repository({ "a.txt": "one\n", "pack.bin": new Uint8Array([0, 1]) });
    const shelf = await worked(place, mode, (root) => {
      write(root, { "a.txt": "two\nthree\n", ".npmrc": "registry=evil\n", "pack.bin": new Uint8Array([0, 2]) });
      write(root, { ".github/workflows/x.yml": "on: push\n", "lib/package.json": "{}\n" });
    });
    const changes = await shelf.changes(SESSION);
    expect(changes?.files).toEqual([
      { path: ".github/workflows/x.yml", change: "A", from: null, insertions: 1, deletions: 0 },
      { path: ".npmrc", change: "A", from: null, insertions: 1, deletions: 0 },
      { path: "a.txt", change: "M", from: null, insertions: 2, deletions: 1 },
      { path: "lib/package.json", change: "A", from: null, insertions: 1, deletions: 0 },
      { path: "pack.bin", change: "M", from: null, insertions: null, deletions: null },
    ]);
    expect(changes?.protected).toEqual([".github/workflows/x.yml", ".npmrc"]);
    expect(changes?.runsLater).toEqual(["lib/package.json"]);
    expect(changes?.patch).toContain("+registry=evil");
    expect(changes?.isCut).toBe(false);
  });
});

describe("into a repository", () => {
  test("as a merge by the person, with both sides as its parents", async () => {
    const place = repository();
    const shelf = await worked(place, "worktree", (root) => write(root, { "b.txt": "b\n" }));
    place.git("config", "user.name", "Grace");
    place.git("config", "user.email", "grace@example.com");
    const tip = place.git("rev-parse", "cadre/writer-1").trim();
    const head = place.git("rev-parse", "HEAD").trim();
    const answer = await shelf.merge(SESSION, WISH);
    expect(answer).toMatchObject({ kind: "merged", into: "main", commit: place.git("rev-parse", "main").trim() });
    expect(place.git("log", "-1", "--format=%P%n%an%n%B", "main").trim().split("\n")).toEqual([
      `${head} ${tip}`,
      "Grace",
      "Merge cadre/writer-1",
      "",
      "Cadre-Task: task_writer1",
    ]);
    expect(place.git("status", "--porcelain")).toBe("");
  });

  test("or as one commit", async () => {
    const place = repository();
    const shelf = await worked(place, "worktree", (root) => write(root, { "b.txt": "b\n" }));
    await shelf.merge(SESSION, { ...WISH, squash: true });
    expect(place.git("rev-list", "--count", "main").trim()).toBe("2");
    expect(place.git("log", "-1", "--format=%an", "main").trim()).toBe("Cadre");
  });

  test("not over changes that are not committed, which stay, as do those in other files", async () => {
    const place = repository({ "a.txt": "one\n", "b.txt": "one\n", "c.txt": "one\n" });
    const shelf = await worked(place, "worktree", (root) => write(root, { "a.txt": "theirs\n", "b.txt": "theirs\n" }));
    write(place.project, { "a.txt": "mine\n", "c.txt": "mine\n" });
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "in-the-way", paths: ["a.txt"] });
    place.git("add", "a.txt");
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "in-the-way", paths: ["a.txt"] });
    place.git("checkout", "--quiet", "HEAD", "--", "a.txt");
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(text(place, "c.txt")).toBe("mine\n");
    expect(place.git("status", "--porcelain").trim()).toBe("M c.txt");
  });

  test.each([
    [
      "while no branch is checked out",
      (place: TestProject) => place.git("checkout", "--quiet", "--detach"),
      "no branch",
    ],
    [
      "while another merge is under way",
      (place: TestProject) => writeFileSync(join(place.project, ".git/MERGE_HEAD"), place.git("rev-parse", "HEAD")),
      "under way",
    ],
  ])("not %s", async (_when, make, says) => {
    const place = repository();
    const shelf = await worked(place, "worktree", (root) => write(root, { "b.txt": "b\n" }));
    make(place);
    await expect(shelf.merge(SESSION, WISH)).rejects.toMatchObject({
      code: "workspace.failed",
      message: expect.stringContaining(says),
    });
    expect(existsSync(join(place.project, "b.txt"))).toBe(false);
    expect(await shelf.list()).toHaveLength(1);
  });

  test("files that were only touched are not in the way", async () => {
    const place = repository();
    const shelf = await worked(place, "worktree", (root) => write(root, { "a.txt": "two\n" }));
    write(place.project, { "a.txt": "one\n" });
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(text(place, "a.txt")).toBe("two\n");
  });
});
