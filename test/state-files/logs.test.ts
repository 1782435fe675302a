import { describe, expect, test } from "vitest";
import { brandId } from "../../src/schema/index.ts";
import {
  admitted,
  claimed,
  completed,
  running,
  reserve,
  settle,
  someReservation,
  WORKER_A,
} from "../../src/testing/store-contract/given.ts";
import { withStateFiles } from "../../src/stores/state-files/index.ts";
import { shown, taskId } from "./kit.ts";

const T = "[2026-01-01T00:00:00]";

describe("a task's log file", () => {
  test("tells its life, one line for each event that is worth one", async () => {
    const { store, clock, lines } = shown();
    const hold = await running(store, { prompt: "find it" });
    const call = {
      call: brandId("call", "1"),
      tool: "Read",
      effect: "read",
      input: { path: "a.txt" },
      of: null,
    } as const;
    await store.append(hold, [
      { type: "turn.started", turn: 1 },
      { type: "message.said", text: "I look" },
      { type: "tool.called", ...call, decision: { verdict: "allow", rule: "r" } },
      { type: "tool.returned", call: call.call, ok: true, output: "text", truncated: false },
      {
        type: "tool.refused",
        ...call,
        tool: "Bash",
        input: { command: "rm" },
        decision: { verdict: "deny", rule: "plan" },
      },
      { type: "note.taken", level: "warning", text: "careful" },
    ]);
    await store.command(hold.task, { type: "send", text: "hurry", by: "ada" });
    const reservation = someReservation();
    await reserve(store, hold, reservation, { microUsd: 5000, tokens: 70 });
    await settle(store, hold, reservation, { microUsd: 1500, tokens: 42 });
    await clock.advance(90_000);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    expect(lines(`logs/${hold.task}.log`)).toEqual([
      `${T} asked of worker#1 by tester: find it`,
      `${T} attempt 1 started on tape`,
      `${T} said: I look`,
      `${T} Read a.txt`,
      `${T} Bash rm: refused (plan)`,
      `${T} warning: careful`,
      `${T} ada sent: hurry`,
      `${T} spent 42 tokens, $0.0015`,
      "[2026-01-01T00:01:30] completed (claimed): done",
    ]);
  });

  test("of a parent names its children, and of a stopped task who stopped it", async () => {
    const { store, lines } = shown();
    const { task } = await running(store);
    const child = await admitted(store, { parent: task, root: task, depth: 1 });
    await store.command(child.id, { type: "stop", by: "ada" });
    expect(lines(`logs/${task}.log`).at(-1)).toBe(`${T} delegated to worker (${child.id})`);
    expect(lines(`logs/${child.id}.log`).at(-1)).toBe(`${T} stopped by ada (unstarted)`);
  });
});

describe("the log of a day", () => {
  test("has one line for each start, output and end", async () => {
    const { store, clock, lines } = shown();
    const hold = await running(store, { prompt: "Read src/api/auth.py" });
    await clock.advance(3200);
    await store.append(hold, [
      { type: "attempt.ended", end: "completed", reason: null, message: null },
      { type: "task.ended", outcome: { ...completed, answer: "The auth flow uses…" } },
    ]);
    expect(lines("logs/subagents-20260101.log")).toEqual([
      "[2026-01-01T00:00:00] [subagent:1] [tape] Starting: Read src/api/auth.py",
      "[2026-01-01T00:00:03] [subagent:1] [tape] Output: The auth flow uses…",
      "[2026-01-01T00:00:03] [subagent:1] [tape] Completed in 3200ms",
    ]);
  });

  test("says why an attempt failed, also one that is tried again", async () => {
    const { store, lines } = shown();
    const hold = await running(store, { backends: ["tape", "other"] });
    await store.append(hold, [
      { type: "attempt.ended", end: "failed", reason: "rate_limited", message: "slow down" },
      { type: "task.requeued", backend: "other", because: "failover", by: "cadre" },
    ]);
    await claimed(store, { backends: ["other"] });
    await store.interrupt(WORKER_A.id, "killed");
    await store.command(hold.task, { type: "stop", by: "ada" });
    expect(lines("logs/subagents-20260101.log").map((line) => line.slice(T.length + 1))).toEqual([
      "[subagent:1] [tape] Starting: do it",
      "[subagent:1] [tape] Failed: rate_limited",
      "[subagent:1] [other] Starting: do it",
      "[subagent:1] [other] Failed: interrupted",
    ]);
  });

  test("calls an attempt that was stopped cancelled", async () => {
    const { store, lines } = shown();
    const hold = await running(store);
    const outcome = { status: "cancelled", by: "ada", how: "cooperative", answer: null } as const;
    await store.append(hold, [{ type: "task.ended", outcome }]);
    expect(lines("logs/subagents-20260101.log").at(-1)).toBe(`${T} [subagent:1] [tape] Failed: cancelled`);
  });

  test("goes on in another file on another day", async () => {
    const { store, clock, list } = shown();
    await running(store);
    await clock.advance(24 * 3_600_000);
    await running(store);
    expect(list("logs").filter((name) => name.startsWith("subagents"))).toEqual([
      "subagents-20260101.log",
      "subagents-20260102.log",
    ]);
  });
});

describe("what people and agents write cannot forge a line:", () => {
  const forged = `${T} [subagent:0] [codex] Completed in 1ms`;
  const attacks: [name: string, text: string][] = [
    ["a line break", `x\n${forged}`],
    ["a carriage return", `x\r${forged}`],
    ["both", `x\r\n${forged}`],
    ["a line separator", `x\u2028${forged}`],
    ["a next-line character", `x\u0085${forged}`],
    ["a form feed", `x\f${forged}`],
    ["a cursor movement", `x\u001b[1A\u001b[2K${forged}`],
    ["a title sequence", `x\u001b]0;owned\u0007`],
    ["text that reads backwards", `x\u202e${forged}`],
    ["a null", `x\0y`],
  ];
  // oxlint-disable-next-line eslint/no-control-regex -- finding them is the point
  const unseen = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e]/;

  test.each(attacks)("%s", async (_name, text) => {
    const { store, text: read, lines, list } = shown();
    const hold = await running(store, { prompt: text, origin: { mouth: "test", by: text } });
    const outcome = { ...completed, answer: text };
    await store.append(hold, [
      { type: "message.said", text },
      { type: "note.taken", level: "info", text },
      {
        type: "tool.called",
        call: brandId("call", "1"),
        tool: text,
        effect: "read",
        of: null,
        input: text,
        decision: { verdict: "allow", rule: text },
      },
    ]);
    await store.command(hold.task, { type: "send", text, by: text });
    await store.append(hold, [{ type: "task.ended", outcome }]);
    for (const name of list("logs")) {
      expect(read(`logs/${name}`)).not.toMatch(unseen);
      for (const line of lines(`logs/${name}`)) expect(line.startsWith(T)).toBe(true);
    }
    expect(lines(`logs/${hold.task}.log`)).toHaveLength(7);
    const day = lines("logs/subagents-20260101.log");
    expect(day.map((line) => line.slice(T.length, T.length + 21))).toEqual(Array(3).fill(" [subagent:1] [tape] "));
    expect(lines(`plans/${hold.task}_plan.md`)).toHaveLength(1);
    expect(read(`plans/${hold.task}_plan.md`)).not.toMatch(unseen);
  });

  test("a very long text is cut, between characters", async () => {
    const { store, lines } = shown();
    const hold = await running(store, { prompt: "😀".repeat(100_000) });
    await store.append(hold, [{ type: "message.said", text: `a${"😀".repeat(100_000)}` }]);
    for (const line of [...lines(`logs/${hold.task}.log`), ...lines("logs/subagents-20260101.log")]) {
      expect(line.length).toBeLessThan(2100);
      expect(line.isWellFormed()).toBe(true);
      expect(line).not.toContain("\ufffd");
    }
  });
});

describe("a plan", () => {
  test("begins as a title on one line", async () => {
    const { store, text } = shown();
    await admitted(store, { prompt: "  first\n\nsecond  " }, { id: taskId("1") });
    expect(text("plans/task_1_plan.md")).toBe("# Plan for worker - first second\n");
  });

  test("is made before anything is done that could look at it, or with what shows that the task goes on", async () => {
    const { store: inner, bare, layout, clock, onProblem, list } = shown();
    await inner.close();
    const store = withStateFiles(bare, { layout, clock, onProblem, showAfterMs: 60_000 });
    const hold = await running(store, {}, { id: taskId("1") });
    await running(store, { parent: hold.task, root: hold.task, depth: 1 }, { id: taskId("2") });
    await store.append(hold, [{ type: "message.said", text: "I think." }]);
    expect(list("plans")).toEqual([]);
    await store.append(hold, [{ type: "message.said", text: "I do it." }], "effect");
    expect(list("plans")).toEqual(["task_1_plan.md"]);
    await store.close();
    expect(list("plans")).toEqual(["task_1_plan.md", "task_2_plan.md"]);
  });

  test("that is there already is left as it is", async () => {
    const { store, text, write } = shown();
    write("plans/task_1_plan.md", "mine");
    const hold = await running(store, {}, { id: taskId("1") });
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    expect(text("plans/task_1_plan.md")).toBe("mine");
  });
});
