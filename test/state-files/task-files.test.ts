import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { STATUS_WORDS } from "../../src/domain/status-words.ts";
import { AgentDefinition, TaskStatus } from "../../src/schema/index.ts";
import { makeLayout, withStateFiles } from "../../src/stores/state-files/index.ts";
import { admitted, claimed, completed, running, WORKER_A } from "../../src/testing/store-contract/given.ts";
import { shown, taskId } from "./kit.ts";

const START = "2026-01-01T00:00:00.000Z";

describe("a task's state file", () => {
  test("has every field from the moment of admission, with paths from the project", async () => {
    const { store, json } = shown();
    const task = await admitted(store, { prompt: "find it" }, { id: taskId("7") });
    expect(json("tasks/task_7.json")).toEqual({
      taskId: "task_7",
      status: "pending",
      agent: "worker",
      prompt: "find it",
      planFile: ".cadre/plans/task_7_plan.md",
      logFile: ".cadre/logs/task_7.log",
      createdAt: START,
      number: 1,
      backend: "tape",
      attempt: 0,
      parent: null,
      session: task.spec.session,
      result: null,
      cadre: { store: "memory", position: task.position, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test("begins with the fields that other programs look for, in their order", async () => {
    const { store, json } = shown();
    const { id } = await admitted(store);
    expect(Object.keys(json(`tasks/${id}.json`)).slice(0, 7)).toEqual([
      "taskId",
      "status",
      "agent",
      "prompt",
      "planFile",
      "logFile",
      "createdAt",
    ]);
  });

  test("may show a moment later that it goes on: never after its end, and always before its store is closed", async () => {
    const { store: inner, bare, layout, clock, onProblem, json, has } = shown();
    await inner.close();
    const store = withStateFiles(bare, { layout, clock, onProblem, showAfterMs: 60_000 });
    const tasks = [await admitted(store), await admitted(store)];
    const states = () =>
      tasks.map(({ id }) => `tasks/${id}.json`).map((file) => (has(file) ? json(file)["status"] : undefined));
    const [hold] = [await claimed(store), await claimed(store)];
    expect(states()).toEqual([undefined, undefined]);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    await store.shown();
    expect(states()).toEqual(["completed", undefined]);
    await store.close();
    expect(states()).toEqual(["completed", "running"]);
  });

  test("that shows an end is there when the store was closed meanwhile, and so are its plan and its session", async () => {
    const { store: inner, bare, layout, clock, onProblem, json, list } = shown();
    await inner.close();
    const store = withStateFiles(bare, { layout, clock, onProblem, showAfterMs: 60_000 });
    const hold = await running(store);
    const session = (await store.task(hold.task))?.spec.session;
    const look = bare.session.bind(bare);
    vi.spyOn(bare, "session").mockImplementation(async (id) => {
      await sleep(100); // longer than it takes to write the logs
      return look(id);
    });
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    await store.close();
    expect(json(`tasks/${hold.task}.json`)).toMatchObject({ status: "completed" });
    expect(json(`sessions/${session}.json`)).toMatchObject({ status: "completed" });
    expect(["tasks", "plans", "sessions"].map((folder) => list(folder).length)).toEqual([1, 1, 1]);
  });

  test("keeps nobody who admits a single task waiting for the next round of the event loop", async () => {
    const { store: inner, bare, layout, clock, onProblem } = shown();
    await inner.close();
    const store = withStateFiles(bare, { layout, clock, onProblem, showAfterMs: 60_000 });
    await sleep(20); // longer than it would let the event loop wait
    let isNextRound = false;
    setImmediate(() => (isNextRound = true));
    await admitted(store);
    expect(isNextRound).toBe(false);
    await store.close();
  });

  test("follows every change of status, and knows when it started and ended", async () => {
    const { store, clock, json } = shown();
    const { id } = await admitted(store);
    const state = () => json(`tasks/${id}.json`);
    await clock.advance(1000);
    const hold = await claimed(store);
    expect(state()).toMatchObject({ status: "running", attempt: 1, startedAt: "2026-01-01T00:00:01.000Z" });
    expect(state()).not.toHaveProperty("completedAt");
    await store.append(hold, [{ type: "attempt.suspended", on: "timer" }]);
    expect(state()).toMatchObject({ status: "waiting" });
    await store.regain(hold, 10);
    expect(state()).toMatchObject({ status: "running" });
    await clock.advance(1000);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    expect(state()).toMatchObject({
      status: "completed",
      completedAt: "2026-01-01T00:00:02.000Z",
      result: { status: "completed", answer: "done" },
      cadre: { position: (await store.task(id))?.position },
    });
    expect(state()).not.toHaveProperty("error");
  });

  test("says what went wrong with a failed task", async () => {
    const { store, json } = shown();
    const hold = await running(store);
    const outcome = { status: "failed", reason: "timeout", message: "not done after 60 s", answer: null } as const;
    await store.append(hold, [{ type: "task.ended", outcome }]);
    expect(json(`tasks/${hold.task}.json`)).toMatchObject({
      status: "failed",
      error: "timeout: not done after 60 s",
      result: outcome,
    });
  });

  test("shows a task that was interrupted, queued again, and stopped", async () => {
    const { store, json } = shown();
    const { task } = await running(store);
    const status = () => json(`tasks/${task}.json`)["status"];
    await store.interrupt(WORKER_A.id, "killed");
    expect(status()).toBe("interrupted");
    await store.command(task, { type: "requeue", because: "retry", by: "tester" });
    expect(status()).toBe("pending");
    await store.command(task, { type: "stop", by: "tester" });
    expect(status()).toBe("cancelled");
  });

  test("names the parent of a child", async () => {
    const { store, json } = shown();
    const { task } = await running(store);
    const child = await admitted(store, { parent: task, root: task, depth: 1 });
    expect(json(`tasks/${child.id}.json`)["parent"]).toBe(task);
  });

  test("is not touched by an append that changes no status, nor is any other JSON file", async () => {
    const { store, path } = shown();
    const hold = await running(store);
    const session = (await store.task(hold.task))?.spec.session;
    const inodes = () =>
      [path(`tasks/${hold.task}.json`), path(`sessions/${session}.json`)].map((file) => lstatSync(file).ino);
    const before = inodes();
    await store.append(hold, [
      { type: "turn.started", turn: 1 },
      { type: "message.said", text: "x" },
    ]);
    await store.command(hold.task, { type: "send", text: "go on", by: "tester" });
    expect(inodes()).toEqual(before);
  });

  test("and every other file can be read by its owner only, and leaves no temporary file", async () => {
    const { store, path, list } = shown();
    const hold = await running(store);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    for (const folder of ["tasks", "plans", "logs", "sessions"]) {
      expect(lstatSync(path(folder)).mode & 0o777).toBe(0o700);
      expect(list(folder).filter((name) => name.startsWith("."))).toEqual([]);
      for (const name of list(folder)) expect(lstatSync(path(join(folder, name))).mode & 0o777).toBe(0o600);
    }
  });
});

describe("a home that ends in .gemini/agents", () => {
  test("has its own words from pending to complete", async () => {
    const { store, json, text, list } = shown({ home: ".gemini/agents" });
    const definition = AgentDefinition.parse({ name: "coder-agent", description: "codes", tape: [{ answer: "x" }] });
    const id = taskId("1699893721");
    await admitted(store, { definition, prompt: "Create math.py", dispatch: "manual" }, { id });
    const file = `tasks/${id}.json`;
    expect(json(file)).toMatchObject({
      taskId: "task_1699893721",
      status: "pending",
      agent: "coder-agent",
      prompt: "Create math.py",
      planFile: ".gemini/agents/plans/task_1699893721_plan.md",
      logFile: ".gemini/agents/logs/task_1699893721.log",
      createdAt: START,
    });
    expect(text(`plans/${id}_plan.md`)).toBe("# Plan for coder-agent - Create math.py\n");
    const hold = await claimed(store, { dispatch: ["manual"] });
    expect(json(file)["status"]).toBe("running");
    await store.append(hold, [{ type: "attempt.suspended", on: "approval" }]);
    expect(json(file)["status"]).toBe("running");
    await store.regain(hold, 10);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    expect(json(file)).toMatchObject({ status: "complete", completedAt: START });
    expect(list("logs")).toContain(`${id}.log`);
  });

  test("shows an interrupted task as pending", async () => {
    const { store, json } = shown({ home: ".gemini/agents" });
    const { task } = await running(store);
    await store.interrupt(WORKER_A.id, "killed");
    expect(json(`tasks/${task}.json`)["status"]).toBe("pending");
  });
});

describe("the layout", () => {
  test("is told by the end of the home", () => {
    expect(makeLayout("/p/.cadre", "/p").dialect).toBe("cadre");
    expect(makeLayout("/p/.gemini/agents", "/p").dialect).toBe("gemini");
    expect(makeLayout("/p/.gemini/agents/", "/p").dialect).toBe("gemini");
    expect(makeLayout("/p/x.gemini/agents", "/p").dialect).toBe("cadre");
    expect(makeLayout("/p/agents", "/p").dialect).toBe("cadre");
  });

  test("has its folders below the home, and shows paths from the project", () => {
    const { folders, shown: show } = makeLayout("/p/.gemini/agents", "/p");
    expect(Object.values(folders).map(show)).toEqual(
      ["tasks", "plans", "logs", "sessions", "workspace"].map((name) => `.gemini/agents/${name}`),
    );
    expect(makeLayout("/q/.cadre", "/p").shown("/q/.cadre/tasks/x")).toBe("../q/.cadre/tasks/x");
  });
});

test("every status has a word in every dialect, and our own words are our own", () => {
  for (const status of TaskStatus.options) {
    expect(Object.keys(STATUS_WORDS[status])).toEqual(["cadre", "gemini", "glee", "gencode", "yeet"]);
    expect(STATUS_WORDS[status].cadre).toBe(status);
  }
  expect(TaskStatus.options.map((status) => Object.values(STATUS_WORDS[status]).slice(1).join(", "))).toEqual([
    "pending, pending, pending, queued",
    "running, running, still running, running",
    "running, running, still running, waiting",
    "complete, completed, completed, complete",
    "failed, error, failed, error",
    "cancelled, cancelled, killed, cancelled",
    "pending, error, failed, interrupted",
  ]);
});
