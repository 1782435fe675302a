// Whoever merges, or throws away, may be killed at any point: what was done is found out, and told once.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { TellTaken } from "../../src/ports/index.ts";
import { repository, taskWith, type TestProject, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;
const killed: TellTaken = () => Promise.reject(new Error("killed"));

async function worked(place: TestProject, mode: "worktree" | "sandbox") {
  const opened = treesIn(place);
  const workspace = await opened.trees.prepare(taskWith({ mode }), mode);
  write(workspace.root, { "a.txt": "two\n", "b.txt": "new\n" });
  await workspace.release();
  return opened;
}

const text = ({ project }: TestProject, path: string): string => readFileSync(join(project, path), "utf8");
const treeOf = ({ home }: TestProject): string => join(home, "worktrees", SESSION);

const tipOf = (place: TestProject, mode: "worktree" | "sandbox"): string =>
  (mode === "worktree"
    ? place.git("rev-parse", "cadre/writer-1")
    : place.git(`--git-dir=${treeOf(place)}.git`, "rev-parse", "refs/heads/cadre/writer-1")
  ).trim();

describe.each(["worktree", "sandbox"] as const)("of a %s", (mode) => {
  test("a merge that was done and not told is told at the next look, and the tree is gone", async () => {
    const place = repository();
    const { real } = await worked(place, mode);
    await expect(real.merge(SESSION, WISH, killed)).rejects.toThrow("killed");
    expect(text(place, "a.txt")).toBe("two\n");
    const { shelf } = treesIn(place);
    await shelf.settle();
    await shelf.settle();
    const commit = mode === "worktree" ? place.git("rev-parse", "HEAD").trim() : null;
    const into = mode === "worktree" ? "main" : null;
    expect(shelf.told).toEqual([{ kind: "merged", task: WISH.task, by: "Ada", after: 0, commit, into }]);
    expect(existsSync(treeOf(place))).toBe(false);
    expect(await shelf.list()).toEqual([]);
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
  });

  test("a merge that was begun and not done is not told, and can be done", async () => {
    const place = repository();
    const { trees, shelf } = await worked(place, mode);
    const commit = mode === "worktree" ? place.git("rev-parse", "cadre/writer-1").trim() : null;
    const into = mode === "worktree" ? "main" : null;
    trees.records.change(SESSION, (now) => ({
      ...now,
      taken: { kind: "merged", task: WISH.task, by: "Ada", after: 0, of: tipOf(place, mode), commit, into },
    }));
    await shelf.settle();
    expect(shelf.told).toEqual([]);
    expect(text(place, "a.txt")).toBe("one\n");
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(text(place, "b.txt")).toBe("new\n");
    expect(shelf.told).toHaveLength(1);
  });

  test("a merge that was done and not told leaves the tree where somebody has gone on in it", async () => {
    const place = repository();
    const { real } = await worked(place, mode);
    await expect(real.merge(SESSION, WISH, killed)).rejects.toThrow("killed");
    const { trees, shelf } = treesIn(place);
    const workspace = await trees.prepare(taskWith({ mode }), mode, 2);
    await shelf.settle(); // while it is at work
    expect(shelf.told).toHaveLength(1);
    write(workspace.root, { "c.txt": "more\n" });
    await workspace.release();
    await shelf.settle();
    expect(shelf.told).toHaveLength(1);
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "merged" });
    expect(text(place, "c.txt")).toBe("more\n");
  });

  test("a tree that was thrown away by half is not gone on with", async () => {
    const place = repository();
    const { trees } = await worked(place, mode);
    trees.records.change(SESSION, (now) => ({
      ...now,
      taken: { kind: "discarded", task: WISH.task, by: "Ada", after: 0 },
    }));
    rmSync(join(treeOf(place), "a.txt"));
    const workspace = await trees.prepare(taskWith({ mode }), mode, 2);
    expect(readFileSync(join(workspace.root, "a.txt"), "utf8")).toBe("one\n");
    expect(await workspace.release()).toBeNull();
  });

  describe("that a tree was thrown away by half is told once", () => {
    const taken = { kind: "discarded", task: WISH.task, by: "Ada", after: 0 } as const;
    async function begunAgain() {
      const { trees, shelf } = await worked(repository(), mode);
      trees.records.change(SESSION, (now) => ({ ...now, taken }));
      return { shelf, workspace: await trees.prepare(taskWith({ mode }), mode, 2) };
    }

    test("while somebody works in the new one", async () => {
      const { shelf, workspace } = await begunAgain();
      await shelf.settle();
      write(workspace.root, { "c.txt": "of the new one\n" });
      await shelf.settle();
      expect(await workspace.release()).toMatchObject({ files: 1 });
      await shelf.settle();
      expect(await shelf.list()).toHaveLength(1);
      expect(shelf.told).toEqual([taken]);
    });

    test("after that one has gone again", async () => {
      const { shelf, workspace } = await begunAgain();
      expect(await workspace.release()).toBeNull();
      await shelf.settle();
      await shelf.settle();
      expect(await shelf.list()).toEqual([]);
      expect(shelf.told).toEqual([taken]);
    });
  });

  test("what was thrown away and not told is told, also where only a part of it is gone", async () => {
    const place = repository();
    const { real, trees } = await worked(place, mode);
    await expect(real.discard(SESSION, WISH, killed)).rejects.toThrow("killed");
    expect(existsSync(treeOf(place))).toBe(false);
    expect(trees.records.find(SESSION)?.taken).toMatchObject({ kind: "discarded" });
    const { shelf } = treesIn(place);
    await shelf.settle();
    expect(shelf.told).toEqual([{ kind: "discarded", task: WISH.task, by: "Ada", after: 0 }]);
    expect(trees.records.find(SESSION)).toBeNull();
  });
});

describe("of a worktree", () => {
  /** The files are changed, and the branch is not moved yet. */
  async function half(place: TestProject) {
    const opened = await worked(place, "worktree");
    const tip = place.git("rev-parse", "cadre/writer-1").trim();
    const tree = place.git("rev-parse", `${tip}^{tree}`).trim();
    const commit = place.git("commit-tree", "-p", "HEAD", "-p", tip, "-m", "merge", tree).trim();
    place.git("read-tree", "-m", "-u", "HEAD", commit);
    const taken = { kind: "merged", task: WISH.task, by: "Ada", after: 0, of: tip, commit, into: "main" } as const;
    opened.trees.records.change(SESSION, (now) => ({ ...now, taken }));
    return { ...opened, commit };
  }

  test("a merge whose files are there is ended by the next one: only the branch is moved", async () => {
    const place = repository();
    const { shelf, commit } = await half(place);
    await shelf.settle();
    expect(shelf.told).toEqual([]);
    expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "merged", commit, into: "main", left: null });
    expect(place.git("rev-parse", "HEAD").trim()).toBe(commit);
    expect(place.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(existsSync(treeOf(place))).toBe(false);
  });

  test("what came to the branch after that is merged, too, before the tree is gone", async () => {
    const place = repository();
    const { shelf, trees, commit } = await half(place);
    const workspace = await trees.prepare(taskWith({ mode: "worktree" }), "worktree", 2);
    write(workspace.root, { "precious.txt": "late\n" });
    await workspace.release();
    const answer = await shelf.merge(SESSION, WISH);
    expect(answer).toMatchObject({ kind: "merged", into: "main" });
    expect(text(place, "precious.txt")).toBe("late\n");
    expect(text(place, "b.txt")).toBe("new\n");
    expect(place.git("rev-parse", "HEAD^1").trim()).toBe(commit);
    expect(place.git("status", "--porcelain", "--untracked-files=no")).toBe("");
    expect(shelf.told).toMatchObject([{ kind: "merged", commit: place.git("rev-parse", "HEAD").trim() }]);
    expect(existsSync(treeOf(place))).toBe(false);
  });

  test("is not ended where somebody has gone on in these files", async () => {
    const place = repository();
    const { shelf } = await half(place);
    write(place.project, { "a.txt": "mine\n" });
    expect(await shelf.merge(SESSION, WISH)).toMatchObject({ kind: "in-the-way" });
    expect(text(place, "a.txt")).toBe("mine\n");
  });

  test("what was taken over as one commit is not taken over twice", async () => {
    const place = repository();
    const { shelf, trees } = await worked(place, "worktree");
    const tip = place.git("rev-parse", "cadre/writer-1").trim();
    place.git("cherry-pick", tip);
    const head = place.git("rev-parse", "HEAD");
    expect(await shelf.merge(SESSION, { ...WISH, squash: true })).toEqual({ kind: "nothing" });
    expect(place.git("rev-parse", "HEAD")).toBe(head);
    expect(trees.records.find(SESSION)).toBeNull();
  });
});
