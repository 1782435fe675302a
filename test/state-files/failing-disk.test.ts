// What a disk can do to us: a verb that has committed returns all the same, and the files follow.
import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { repairStateFiles, withStateFiles } from "../../src/stores/state-files/index.ts";
import { admitted, completed, running } from "../../src/testing/store-contract/given.ts";
import { shell, shown, type Shown, temporaryFolder } from "./kit.ts";

const isRoot = process.getuid?.() === 0;
const end = { type: "task.ended", outcome: completed } as const;

/** A task from its admission to its end. */
async function wholeLife({ store }: Pick<Shown, "store">) {
  const hold = await running(store);
  await store.append(hold, [{ type: "message.said", text: "hello" }]);
  await store.append(hold, [end]);
  return hold.task;
}

function block(files: Shown, folder: string): () => void {
  mkdirSync(files.path("."), { recursive: true });
  writeFileSync(files.path(folder), "in the way");
  return () => rmSync(files.path(folder));
}

describe("a folder that cannot be made", () => {
  test.each(["tasks", "plans", "sessions", "logs"])("%s: every verb returns, and it is said once", async (folder) => {
    const files = shown();
    const clear = block(files, folder);
    const task = await wholeLife(files);
    expect((await files.store.task(task))?.status).toBe("completed");
    expect(files.problems).toHaveLength(1);
    expect(files.problems[0]).toContain(`${folder} is a link or a file`);
    clear();
    await wholeLife(files);
    expect(files.problems).toHaveLength(1);
    rmSync(files.path(folder), { recursive: true });
    block(files, folder);
    await wholeLife(files);
    expect(files.problems).toHaveLength(2);
  });

  test.each(["tasks", "plans", "sessions"])("%s: nobody who waits for an end to be shown is failed", async (folder) => {
    const files = shown();
    block(files, folder);
    const store = withStateFiles(files.bare, { ...files, showAfterMs: 60_000 });
    const task = await wholeLife({ store });
    await store.shown();
    expect((await store.task(task))?.status).toBe("completed");
    expect(files.problems).toHaveLength(1);
    expect(files.problems[0]).toContain(`${folder} is a link or a file`);
    await store.close();
  });

  test("costs no state file: those that were missed are written when one can be", async () => {
    const files = shown();
    const clear = block(files, "tasks");
    const missed = await wholeLife(files);
    const waiting = await admitted(files.store);
    clear();
    await admitted(files.store);
    expect(files.json(`tasks/${missed}.json`)["status"]).toBe("completed");
    expect(files.json(`tasks/${waiting.id}.json`)["status"]).toBe("pending");
  });

  test("costs no log line: those that were missed come before the next", async () => {
    const files = shown();
    const clear = block(files, "logs");
    const hold = await running(files.store);
    await files.store.append(hold, [{ type: "message.said", text: "one" }]);
    clear();
    await files.store.append(hold, [{ type: "message.said", text: "two" }]);
    const texts = files.lines(`logs/${hold.task}.log`).map((line) => line.slice(22));
    expect(texts).toEqual([
      "asked of worker#1 by tester: do it",
      "attempt 1 started on tape",
      "said: one",
      "said: two",
    ]);
    expect(files.text("logs/subagents-20260101.log")).toContain("Starting: do it");
  });

  test("keeps only so many lines, and says how much is gone", async () => {
    const files = shown();
    const clear = block(files, "logs");
    const hold = await running(files.store);
    for (let n = 0; n < 400; n++) await files.store.append(hold, [{ type: "message.said", text: "x".repeat(1500) }]);
    clear();
    await files.store.append(hold, [{ type: "message.said", text: "back" }]);
    const lines = files.lines(`logs/${hold.task}.log`);
    expect(lines.length).toBeLessThan(200);
    expect(lines.at(-2)).toMatch(/\d+ bytes of earlier lines could not be written/);
    expect(lines.at(-1)).toContain("said: back");
  });

  test("and a problem that cannot be told harms nobody", async () => {
    const files = shown();
    block(files, "tasks");
    files.problems.push = () => {
      throw new Error("nobody listens");
    };
    await expect(wholeLife(files)).resolves.toBeDefined();
  });
});

describe("links that lead elsewhere are not followed:", () => {
  test.each(["tasks", "plans", "sessions", "logs"])("the folder %s", async (folder) => {
    const files = shown();
    const elsewhere = temporaryFolder();
    mkdirSync(files.path("."), { recursive: true });
    symlinkSync(elsewhere, files.path(folder));
    await wholeLife(files);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(files.problems).toHaveLength(1);
  });

  test("a log file, a plan and a state file", async () => {
    const files = shown();
    const target = join(temporaryFolder(), "precious");
    writeFileSync(target, "precious");
    for (const folder of ["tasks", "plans", "logs"]) mkdirSync(files.path(folder), { recursive: true });
    symlinkSync(target, files.path("logs/subagents-20260101.log"));
    const { id } = await admitted(files.bare);
    for (const file of [`logs/${id}.log`, `plans/${id}_plan.md`, `tasks/${id}.json`])
      symlinkSync(target, files.path(file));
    await repairStateFiles(files.bare, files);
    await files.store.command(id, { type: "stop", by: "tester" });
    await running(files.store);
    expect(readFileSync(target, "utf8")).toBe("precious");
    expect(files.json(`tasks/${id}.json`)["status"]).toBe("cancelled");
  });

  test("a named pipe holds nobody up", async () => {
    const files = shown();
    mkdirSync(files.path("logs"), { recursive: true });
    mkdirSync(files.path("tasks"), { recursive: true });
    const { id } = await admitted(files.bare);
    shell('mkfifo "$0" "$1"', files.path("logs/subagents-20260101.log"), files.path(`tasks/${id}.json`));
    await repairStateFiles(files.bare, files);
    await running(files.store);
    expect(files.json(`tasks/${id}.json`)["status"]).toBe("pending");
  });
});

test("a folder in the place of a state file is said, and nothing else suffers", async () => {
  const files = shown();
  const { id } = await admitted(files.bare);
  mkdirSync(files.path(`tasks/${id}.json`), { recursive: true });
  await files.store.command(id, { type: "stop", by: "tester" });
  expect(files.problems[0]).toContain("cannot be written");
  expect(files.list("tasks")).toEqual([`${id}.json`]);
});

test("a disk that is full fails no verb, and its files are whole once there is room", async () => {
  const files = shown();
  const isMounted = fillUp(files.path("."));
  const tasks = [];
  for (let n = 0; n < 30; n++) tasks.push(await wholeLife(files));
  expect(files.problems.length).toBeGreaterThan(0);
  for (const name of files.list("tasks")) expect(name).not.toContain(".tmp");
  if (isMounted) shell('mount -o remount,size=16m "$0"', files.path("."));
  else rmSync(files.path("tasks"));
  await repairStateFiles(files.bare, files);
  for (const task of tasks) expect(files.json(`tasks/${task}.json`)["status"]).toBe("completed");
});

/** A disk of a few kilobytes where we may mount one; elsewhere a file in the way. */
function fillUp(home: string): boolean {
  mkdirSync(home, { recursive: true });
  const isMounted = isRoot && shell('mount -t tmpfs -o size=64k tmpfs "$0"', home);
  if (isMounted) onTestFinished(() => void shell('umount -l "$0"', home));
  else writeFileSync(join(home, "tasks"), "in the way");
  return isMounted;
}

test("a home that may only be read fails no verb", async () => {
  const project = temporaryFolder();
  const home = join(project, ".cadre");
  mkdirSync(home);
  chmodSync(project, 0o755);
  chmodSync(home, 0o555);
  // Root may write anywhere, so it has to become somebody else.
  const nobody = { uid: 65_534, gid: 65_534 };
  if (isRoot) chownSync(home, nobody.uid, nobody.gid);
  const program = fileURLToPath(new URL("fixtures/read-only-home.ts", import.meta.url));
  const child = spawn(process.execPath, [program, home, ...(isRoot ? [String(nobody.uid)] : [])], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 20_000,
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  await new Promise((resolve) => child.on("close", resolve));
  expect(JSON.parse(said.trim().split("\n").at(-1) ?? "{}"), said).toEqual({
    status: "completed",
    problems: 4,
    first: expect.stringContaining("EACCES"),
  });
});
