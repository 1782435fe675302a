// Several processes, one repository: every edit is merged or named, and none is lost.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { repository, type TestProject } from "./kit.ts";
import { WRITERS } from "./writers.ts";

const WORKERS = 3;
const TASKS = 8;
const NUMBERS = Array.from({ length: TASKS }, (_, index) => index + 1);
/** Enough between them that git sees changes of neighbours as two. */
const SHARED = NUMBERS.map((n) => `line ${n} of many\n${"same\n".repeat(5)}`).join("");

const open = ({ home, userHome }: TestProject) =>
  openCadre({ home, userHome, cwd: userHome, env: { PATH: process.env["PATH"] }, agents: WRITERS });

function startWorker({ home, userHome }: TestProject) {
  const file = fileURLToPath(new URL("worker.ts", import.meta.url));
  const child = spawn(process.execPath, [file, home, userHome], { stdio: "inherit", timeout: 120_000 });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { closed, kill: () => child.kill("SIGKILL") };
}

test("eight writers at once, in worktrees of one repository", async () => {
  const place = repository({ "shared.txt": SHARED, "clash.txt": "nobody\n" });
  const base = place.git("rev-parse", "HEAD").trim();
  let tasks: readonly TaskView[];
  {
    await using cadre = await open(place);
    ({ tasks } = await cadre.call("task.start-many", {
      tasks: NUMBERS.map((n) => ({ agent: "writer", prompt: String(n) })),
    }));
  }
  const exits = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(place).closed));
  expect(exits).toEqual(Array.from({ length: WORKERS }, () => 0));
  expect(place.git("status", "--porcelain")).toBe("");

  await using cadre = await open(place);
  const ended = await Promise.all(tasks.map(({ id }) => cadre.call("task.get", { task: id })));
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => "completed"));
  const roots = new Set(ended.map(({ kept }) => kept?.root));
  expect(roots.size, "each had a tree of its own").toBe(TASKS);
  expect(ended.map(({ kept }) => kept?.base)).toEqual(ended.map(() => base));
  expect((await cadre.call("workspace.list", {})).work).toHaveLength(TASKS);

  const answers = [];
  for (const { id } of tasks) answers.push(await cadre.call("workspace.merge", { task: id }));
  const reported = answers.filter(({ kind }) => kind !== "merged");
  expect(reported, "the two that clash cannot both be merged").toEqual([{ kind: "conflicts", paths: ["clash.txt"] }]);

  const refused = answers.findIndex(({ kind }) => kind === "conflicts") + 1;
  for (const n of NUMBERS) {
    const isIn = readFileSync(join(place.project, "shared.txt"), "utf8").includes(
      `line ${n} of many, changed by ${n}\n`,
    );
    expect(isIn, `the edit of ${n}`).toBe(n !== refused);
    expect(existsSync(join(place.project, `out ${n}/result.txt`))).toBe(n !== refused);
  }
  // What could not be merged is still there, whole.
  const { work } = await cadre.call("workspace.list", {});
  expect(work).toMatchObject([{ task: tasks[refused - 1]?.id, isUncommitted: false }]);
  const tree = work[0]?.root ?? "";
  expect(readFileSync(join(tree, `out ${refused}/result.txt`), "utf8")).toBe(`made by ${refused}\n`);
  expect(readFileSync(join(tree, "clash.txt"), "utf8")).toBe(`${refused} was here\n`);
  expect(place.git("branch", "--list", "cadre/*").trim().split("\n")).toHaveLength(1);
  expect(place.git("fsck", "--no-dangling")).toBe("");
}, 120_000);

test("what a killed worker's agent wrote is still there, is found by the next attempt, and can be merged", async () => {
  const place = repository();
  let task: TaskView;
  {
    await using cadre = await open(place);
    task = await cadre.start({ agent: "slow", prompt: "1" });
  }
  const worker = startWorker(place);
  const tree = join(place.home, "worktrees", task.spec.session);
  await expect.poll(() => existsSync(join(tree, "half.txt")), { timeout: 60_000 }).toBe(true);
  worker.kill();
  await worker.closed;

  await using cadre = await open(place);
  expect(await cadre.call("task.get", { task: task.id })).toMatchObject({ status: "interrupted" });
  expect((await cadre.call("workspace.list", {})).work).toMatchObject([{ task: task.id, isUncommitted: true }]);
  expect(readFileSync(join(tree, "half.txt"), "utf8")).toBe("half of it\n");
  const changes = await cadre.call("workspace.diff", { task: task.id });
  expect(changes?.files).toMatchObject([{ path: "half.txt", change: "A" }]);

  // The next attempt goes on in the same tree.
  await cadre.call("task.retry", { task: task.id });
  const working = new AbortController();
  const work = cadre.work({}, working.signal);
  await expect
    .poll(async () => (await cadre.call("task.get", { task: task.id })).attempts.at(-1)?.workspace)
    .toBe(tree);
  working.abort();
  await work;
  expect(readdirSync(tree)).toContain("half.txt");
  await cadre.call("task.stop", { task: task.id });
  expect(await cadre.call("workspace.merge", { task: task.id })).toMatchObject({ kind: "merged" });
  expect(readFileSync(join(place.project, "half.txt"), "utf8")).toBe("half of it\n");
}, 120_000);
