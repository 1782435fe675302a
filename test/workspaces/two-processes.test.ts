// One tree, several processes that want something of it at once. Two `treesIn` stand for two processes: nothing is
// shared between them but what lies on the disk.
import { execFile, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { repository, taskWith, type TestProject, treesIn, WISH, write } from "./kit.ts";

const SESSION = taskWith().spec.session;
const PROGRAM = fileURLToPath(new URL("tree-process.ts", import.meta.url));

const inProcess = async (what: string, { project, home, userHome }: TestProject, ...more: readonly string[]) =>
  (await promisify(execFile)(process.execPath, [PROGRAM, what, project, home, userHome, ...more], { timeout: 60_000 }))
    .stdout;

async function worked(place: TestProject, mode: "worktree" | "sandbox") {
  const workspace = await treesIn(place).trees.prepare(taskWith({ mode }), mode);
  write(workspace.root, { "a.txt": "two\n" });
  await workspace.release();
}

const worktrees = ({ home }: TestProject): string => join(home, "worktrees");
const text = ({ project }: TestProject, path: string): string => readFileSync(join(project, path), "utf8");

/** Tells nothing before it is let go. */
function slow() {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return {
    begun: begun.promise,
    goOn: goOn.resolve,
    tell: async () => {
      begun.resolve();
      await goOn.promise;
    },
  };
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 200));

describe.each(["worktree", "sandbox"] as const)("of a %s", (mode) => {
  test.each(["merge", "discard"] as const)("two that %s it at once tell it once", async (what) => {
    const place = repository();
    await worked(place, mode);
    const told = await Promise.all([inProcess(what, place), inProcess(what, place), inProcess(what, place)]);
    expect(told.join("").trim().split("\n")).toHaveLength(1);
    expect(text(place, "a.txt")).toBe(what === "merge" ? "two\n" : "one\n");
    expect(readdirSync(worktrees(place))).toEqual([".gitignore"]);
    expect(place.git("branch", "--list", "cadre/*")).toBe("");
  });

  test.each(["merge", "discard"] as const)("an attempt that begins waits for whoever does a %s", async (what) => {
    const place = repository();
    await worked(place, mode);
    const { begun, goOn, tell } = slow();
    const taken = treesIn(place).real[what](SESSION, WISH, tell);
    await begun;
    const { trees } = treesIn(place);
    let isThere = false;
    const workspace = trees.prepare(taskWith({ mode }), mode, 2).finally(() => (isThere = true));
    await soon();
    expect(isThere).toBe(false);
    goOn();
    await taken;
    const made = await workspace;
    expect(readFileSync(join(made.root, "a.txt"), "utf8"), "made anew").toBe(what === "merge" ? "two\n" : "one\n");
    write(made.root, { "b.txt": "of the second\n" });
    expect(await made.release()).toMatchObject({ files: 1 });
    expect(trees.records.find(SESSION)).toMatchObject({ users: [], state: "ready" });
    expect(trees.records.find(SESSION)?.taken).toBeUndefined();
  });

  test("a look neither tells nor ends what another is about to end", async () => {
    const place = repository();
    await worked(place, mode);
    const { begun, goOn, tell } = slow();
    const taken = treesIn(place).real.discard(SESSION, WISH, tell);
    await begun;
    const { shelf } = treesIn(place);
    await shelf.settle();
    expect(shelf.told).toEqual([]);
    goOn();
    await taken;
    await shelf.settle();
    expect(shelf.told).toEqual([]);
  });
});

test("attempts of several processes that begin and end in one tree are all known", async () => {
  const place = repository();
  const { trees } = treesIn(place);
  await trees.prepare(taskWith(), "worktree");
  await Promise.all(["one", "two", "three", "four"].map((name) => inProcess("guests", place, name)));
  const stay = ["one", "two", "three", "four"].flatMap((name) => [1, 3, 5, 7, 9, 11].map((n) => `task_${name}${n}#1`));
  expect(trees.records.find(SESSION)?.users.toSorted()).toEqual(["task_writer1#1", ...stay].toSorted());
}, 60_000);

test("whoever was killed in the middle keeps nobody out", async () => {
  const place = repository();
  await worked(place, "sandbox");
  const child = spawn(process.execPath, [PROGRAM, "hang", place.project, place.home, place.userHome], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 60_000,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = new Promise((resolve) => child.on("close", resolve));
  for await (const line of createInterface(child.stdout)) {
    expect(JSON.parse(line)).toMatchObject({ kind: "merged" });
    child.kill("SIGKILL");
  }
  await closed;
  expect(readdirSync(worktrees(place))).toContain(`${SESSION}.lock`);
  const { shelf } = treesIn(place);
  await shelf.settle();
  expect(shelf.told).toHaveLength(1);
  expect(readdirSync(worktrees(place))).toEqual([".gitignore"]);
}, 60_000);

test("where no tree is, none is waited for, and nothing is made", async () => {
  const place = repository();
  const { shelf } = treesIn(place);
  expect(await shelf.changes(SESSION)).toBeNull();
  expect(await shelf.merge(SESSION, WISH)).toEqual({ kind: "nothing" });
  await shelf.discard(SESSION);
  expect(existsSync(worktrees(place))).toBe(false);
});
