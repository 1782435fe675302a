// Whether there is room for one more: in depth, in number, in the budget, in the session.
import { describe, expect, test } from "vitest";
import type { TaskRequest } from "../../src/engine/index.ts";
import type { SessionId, TaskView } from "../../src/schema/index.ts";
import {
  answers,
  hangs,
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
  type TestEngine,
} from "../../src/testing/index.ts";
import { withWorker } from "./kit.ts";

const request = (change: Partial<TaskRequest> = {}): TaskRequest => ({
  agent: "worker",
  prompt: "do it",
  dispatch: "manual",
  askable: "inbox",
  origin: { mouth: "test", by: "tester" },
  ...change,
});

/** A worker that is at work and waits for a word. */
async function atWork(engine: TestEngine, change: Partial<TaskRequest> = {}): Promise<TaskView> {
  const task = await engine.start({ agent: "worker", ...change });
  engine.work({ root: task.id });
  return engine.until(task.id, "waiting");
}

const waits = async (...[, scope]: Parameters<ReturnType<typeof answers>>) => {
  await scope.hearNext();
  return { kind: "answered", answer: "done" } as const;
};

describe("admit: how deep and how many", () => {
  test("agents nest only so deep", async () => {
    await using engine = await withWorker([waits, waits], { settings: { maxDepth: 1 } });
    const root = await atWork(engine);
    const [child] = await engine.engine.admit([request({ dispatch: "auto" })], root);
    expect(child?.spec).toMatchObject({ depth: 1, parent: root.id, root: root.id });
    const parent = await engine.until(child?.id ?? root.id, "waiting");
    await expect(engine.engine.admit([request()], parent)).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "depth" },
      message: "agents may nest 1 deep, and this would be 2",
    });
  });

  test("a tree holds only so many tasks, also those that have ended", async () => {
    await using engine = await withWorker([waits, answers("done")], { settings: { maxPerRoot: 3 } });
    const root = await atWork(engine);
    const [first] = await engine.engine.admit([request({ dispatch: "auto" })], root);
    await engine.until(first?.id ?? root.id, "completed");
    await engine.engine.admit([request()], root);
    await expect(engine.engine.admit([request()], root)).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "fan-out" },
      message: "this tree has its 3 tasks already",
    });
    expect((await engine.show(root.id)).children).toHaveLength(2);
  });

  test("of several requests all are admitted, or none", async () => {
    await using engine = await withWorker([]);
    await expect(engine.engine.admit([request(), request({ agent: "nobody" }), request()], null)).rejects.toMatchObject(
      { code: "agent.not-found" },
    );
    expect(await engine.world.store.head()).toBe(0);
    expect(await engine.engine.admit([request(), request()], null)).toHaveLength(2);
  });

  test("nothing is started below a task that has ended", async () => {
    await using engine = await withWorker([answers("done")]);
    const ended = await engine.run({ agent: "worker" });
    await expect(engine.engine.admit([request()], ended)).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "parent-ended" },
    });
  });
});

describe("admit: reserve budget", () => {
  const usages = ["at-end", "untold", "none"] as const;

  test.each(usages)("the whole budget is set aside for a backend whose usage is %s", async (usage) => {
    await using engine = await withWorker([], { capabilities: { usage }, agent: { budget_usd: 2, max_tokens: 500 } });
    const task = await engine.start({ agent: "worker" });
    expect(task.reserved?.amount).toEqual({ microUsd: 2_000_000, tokens: 500 });
    const [admitted] = await engine.log(task.id);
    expect(admitted?.event).toMatchObject({ type: "task.admitted", reserved: task.reserved });
  });

  test("nothing is set aside for a backend that asks before each call, or where nothing is limited", async () => {
    const budget = { budget_usd: 2 };
    await using perCall = await withWorker([], { agent: budget });
    expect((await perCall.start({ agent: "worker" })).reserved).toBeNull();
    await using unlimited = await withWorker([], { capabilities: { usage: "at-end" } });
    expect((await unlimited.start({ agent: "worker" })).reserved).toBeNull();
  });

  test.each(usages)(
    "below others, nothing is set aside for a backend whose usage is %s before it runs",
    async (usage) => {
      const registry = registryOf(
        { name: "worker", description: "Works.", backend: "scripted" },
        { name: "other", description: "Works too.", backend: "other" },
      );
      const other = scriptedBackend([], { name: "other", capabilities: { usage } });
      await using engine = await startEngine({ registry, backends: [scriptedBackend([waits]), other] });
      const root = await atWork(engine, { limits: { maxTokens: 100 } });
      const both = await engine.engine.admit([request({ agent: "other" }), request({ agent: "other" })], root);
      expect(both.map(({ reserved }) => reserved)).toEqual([null, null]);
    },
  );

  test("where nothing is left in the tree, a task is refused", async () => {
    const spends: Script = async (attempt, scope) => {
      const reservation = await scope.reserve({ microUsd: 0, tokens: 100 });
      if (reservation === false) throw new Error("there is no room for the call");
      await scope.append({ type: "settle", reservation, spent: { microUsd: 0, tokens: 100 } });
      return waits(attempt, scope);
    };
    await using engine = await withWorker([spends]);
    const root = await atWork(engine, { limits: { maxTokens: 100 } });
    await expect(engine.engine.admit([request()], root)).rejects.toMatchObject({
      code: "admission.refused",
      facts: { why: "budget" },
      message: "the budget allows 0 more tokens",
    });
  });

  test("the budget is set aside if only one of an agent's backends cannot price a call: it may come to run there", async () => {
    const backends = [scriptedBackend([]), scriptedBackend([], { name: "other", capabilities: { usage: "at-end" } })];
    const registry = registryOf({
      name: "worker",
      description: "Works.",
      backend: ["scripted", "other"],
      max_tokens: 9,
    });
    await using engine = await startEngine({ registry, backends });
    expect((await engine.start({ agent: "worker" })).reserved?.amount).toEqual({ microUsd: null, tokens: 9 });
  });

  test("a task with a budget of nothing is refused at once", async () => {
    await using engine = await withWorker([]);
    const refused = engine.start({ agent: "worker", limits: { budgetUsd: 0 } });
    await expect(refused).rejects.toMatchObject({ code: "admission.refused", facts: { why: "budget" } });
  });
});

describe("admit: the session", () => {
  test("a session that does not exist cannot be gone on with", async () => {
    await using engine = await withWorker([]);
    const session = "sess_gone" as SessionId;
    await expect(engine.start({ agent: "worker", session })).rejects.toMatchObject({ code: "session.not-found" });
    expect(await engine.world.store.head()).toBe(0);
  });

  test("a session takes one task at a time, and says which one has it", async () => {
    await using engine = await withWorker([hangs()]);
    const first = await engine.start({ agent: "worker" });
    const { session } = first.spec;
    const busy = { code: "session.busy", message: `the session ${session} is busy with ${first.id}` };
    await expect(engine.start({ agent: "worker", session })).rejects.toMatchObject(busy);
    engine.work();
    await engine.until(first.id, "running");
    await expect(engine.start({ agent: "worker", session })).rejects.toMatchObject(busy);
    await engine.engine.stop(first.id, "ada");
    await engine.world.clock.advance(2000);
    await engine.until(first.id, "cancelled");
    const next = await engine.start({ agent: "worker", session, dispatch: "manual" });
    expect((await engine.world.store.session(session))?.tasks).toEqual([first.id, next.id]);
  });
});
