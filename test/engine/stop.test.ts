import { describe, expect, test } from "vitest";
import type { AttemptScope, BackendEnd } from "../../src/ports/index.ts";
import {
  answers,
  hangs,
  memoryWorkspaces,
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
  testWorld,
  untilStopped,
} from "../../src/testing/index.ts";
import { allTasks, byAgent, expectStatus, factsOf, obeys, typesOf, wholeLog, withWorker } from "./kit.ts";

describe("stop: a task that is not at work", () => {
  test("a pending task ends at once and is never started", async () => {
    const backend = scriptedBackend([]);
    const registry = registryOf({ name: "worker", description: "Works.", backend: "scripted" });
    await using engine = await startEngine({ registry, backends: [backend] });
    const task = await engine.start({ agent: "worker" });
    expect(await engine.engine.stop(task.id, "ada")).toMatchObject({
      kind: "done",
      task: { status: "cancelled", outcome: { by: "ada", how: "unstarted", answer: null } },
    });
    await engine.engine.work({ dispatch: ["auto"], until: "idle" });
    expect(backend.starts).toBe(0);
    expect(typesOf(await engine.log(task.id))).toEqual(["task.admitted", "task.ended"]);
  });

  test.each(["completed", "failed", "cancelled"] as const)(
    "a task that is %s cannot be stopped any more",
    async (status) => {
      const script: Script = status === "failed" ? () => Promise.reject(new Error("bang")) : answers("done");
      await using engine = await withWorker([script]);
      const task = await engine.start({ agent: "worker" });
      if (status === "cancelled") await engine.engine.stop(task.id, "ada");
      engine.work();
      const before = await engine.until(task.id, status);
      expect(await engine.engine.stop(task.id, "grace")).toEqual({
        kind: "refused",
        refusal: { why: "state", status },
      });
      expect(await engine.show(task.id)).toEqual(before);
    },
  );
});

describe("stop: a task that is at work", () => {
  test("a backend that ends when it is asked to has been stopped cooperatively", async () => {
    const says: Script = async (attempt, scope) => {
      await scope.append({ type: "message.said", text: "half way" });
      return untilStopped()(attempt, scope);
    };
    await using engine = await withWorker([says]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    expect(await engine.engine.stop(task.id, "ada")).toMatchObject({ kind: "told", task: { stopRequestedBy: "ada" } });
    const view = await engine.until(task.id, "cancelled");
    expect(view.outcome).toEqual({ status: "cancelled", by: "ada", how: "cooperative", answer: "half way" });
    expect(view.attempts).toMatchObject([{ end: "cancelled", reason: null }]);
  });

  test("whatever a backend returns once it was stopped, the task is cancelled", async () => {
    const ends: BackendEnd[] = [
      { kind: "answered", answer: "too late" },
      { kind: "failed", reason: "backend_error", message: "interrupted" },
    ];
    const scripts = ends.map(
      (end): Script =>
        (_attempt, { signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(end))),
    );
    await using engine = await withWorker(scripts);
    engine.work();
    for (const _end of ends) {
      const task = await engine.start({ agent: "worker" });
      await engine.until(task.id, "running");
      await engine.engine.stop(task.id, "ada");
      expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ how: "cooperative" });
    }
  });

  test("a backend that ignores it is left behind after two seconds", async () => {
    const workspaces = memoryWorkspaces();
    await using engine = await withWorker([hangs()], { workspaces });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(1999);
    await engine.until(task.id, "running");
    await engine.world.clock.advance(1);
    expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ by: "ada", how: "forced" });
    expect(workspaces.open).toBe(0);
  });

  test("what a backend that was left behind says later is not taken", async () => {
    let scope: AttemptScope | undefined;
    const later = Promise.withResolvers<BackendEnd>();
    const ignores: Script = (_attempt, given) => {
      scope = given;
      return later.promise;
    };
    await using engine = await withWorker([ignores]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(2000);
    const ended = await engine.until(task.id, "cancelled");
    const before = await wholeLog(engine.world);
    await expect(scope?.append({ type: "message.said", text: "here I am" })).rejects.toThrow("over");
    await expect(scope?.permit({ tool: "Read", effect: "read", input: {} })).rejects.toThrow("the attempt is over");
    later.resolve({ kind: "answered", answer: "here is the answer" });
    await engine.world.clock.advance(10_000);
    expect(await engine.show(task.id)).toEqual(ended);
    expect(await wholeLog(engine.world)).toEqual(before);
  });

  test("a stop from another process reaches the worker", async () => {
    const world = testWorld();
    await using working = await withWorker([untilStopped()], { world });
    await using other = await withWorker([], { world });
    const task = await working.start({ agent: "worker" });
    working.work();
    await working.until(task.id, "running");
    expect(await other.engine.stop(task.id, "grace")).toMatchObject({ kind: "told" });
    expect((await working.until(task.id, "cancelled")).outcome).toMatchObject({ by: "grace", how: "cooperative" });
  });

  test("a stop that is asked for twice is one", async () => {
    await using engine = await withWorker([untilStopped()]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await Promise.all([engine.engine.stop(task.id, "ada"), engine.engine.stop(task.id, "ada")]);
    await engine.until(task.id, "cancelled");
    expect(factsOf(await engine.log(task.id), "task.ended")).toHaveLength(1);
  });

  const waiting: [on: string, wait: (scope: AttemptScope) => Promise<unknown>][] = [
    ["an answer", (scope) => scope.ask({ kind: "question", title: "?", body: "?" })],
    ["a message", (scope) => scope.hearNext()],
    ["a timer", (scope) => scope.sleep(3_600_000)],
    ["something else", (scope) => scope.wait("timer", (signal) => engineless(signal))],
  ];
  const engineless = (signal: AbortSignal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

  test.each(waiting)("a task that waits for %s ends at once, and its slot is free", async (_, wait) => {
    let reason: unknown;
    const waits: Script = async (_attempt, scope) => {
      await wait(scope).catch((error: unknown) => {
        reason = error;
        throw error;
      });
      return { kind: "answered", answer: "unreachable" };
    };
    await using engine = await withWorker([waits, answers("next")], { settings: { maxConcurrent: 1 } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "waiting");
    await engine.engine.stop(task.id, "ada");
    const view = await engine.until(task.id, "cancelled");
    expect(view).toMatchObject({ waitingOn: null, holder: null, outcome: { how: "cooperative" } });
    expect(reason).toMatchObject({ name: "AttemptOver", over: { kind: "stopped", by: "ada" } });
    const next = await engine.start({ agent: "worker" });
    await engine.until(next.id, "completed");
  });

  test("a task that wants its slot back and cannot have it yet can be stopped", async () => {
    const waits: Script = async (_attempt, scope) => {
      await scope.hearNext();
      return { kind: "answered", answer: "unreachable" };
    };
    await using engine = await withWorker([waits, untilStopped(), answers("last")], { settings: { maxConcurrent: 1 } });
    const wanting = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(wanting.id, "waiting");
    const busy = await engine.start({ agent: "worker" });
    await engine.until(busy.id, "running");
    await engine.engine.command(wanting.id, { type: "send", text: "come back", by: "ada" });
    await engine.until(wanting.id, "waiting");
    await engine.engine.stop(wanting.id, "ada");
    await engine.until(wanting.id, "cancelled");
    await engine.engine.stop(busy.id, "ada");
    const last = await engine.start({ agent: "worker" });
    await expectStatus(engine, last.id, "completed");
  });
});

describe("stop: a tree", () => {
  const registry = registryOf(
    { name: "root", description: "Leads.", backend: "scripted" },
    { name: "lead", description: "Leads some.", backend: "scripted" },
    { name: "leaf", description: "Works.", backend: "scripted" },
  );
  const delegates =
    (agent: string, background: boolean): Script =>
    async (attempt, scope) => {
      const children = [];
      for (let index = 0; index < 2; index++) {
        const delegated = await scope.delegate({ agent, prompt: "help", background });
        if (delegated.kind === "started") children.push(delegated.child);
      }
      if (background) return obeys(attempt, scope);
      await scope.together(children.map((child) => () => scope.outcomeOf(child)));
      return { kind: "answered", answer: "done" };
    };

  const trees: [what: string, background: boolean, maxConcurrent: number][] = [
    ["that its parents wait for", false, 10],
    ["that its parents wait for, some of them still queued", false, 2],
    ["in the background", true, 10],
    ["in the background, some of them still queued", true, 4],
  ];

  test.each(trees)("three generations end with their root, %s", async (_, background, maxConcurrent) => {
    const workspaces = memoryWorkspaces();
    const scripts = byAgent({
      root: delegates("lead", background),
      lead: delegates("leaf", background),
      leaf: obeys,
    });
    await using engine = await startEngine({
      registry,
      workspaces,
      backends: [scriptedBackend(scripts)],
      settings: { maxConcurrent },
    });
    const root = await engine.start({ agent: "root" });
    engine.work();
    await engine.world.clock.settle();
    expect((await allTasks(engine.world)).length).toBeGreaterThanOrEqual(4);
    await engine.engine.stop(root.id, "ada");
    await engine.until(root.id, "cancelled");
    const tasks = await allTasks(engine.world);
    expect(tasks.filter(({ status }) => status !== "cancelled")).toEqual([]);
    expect((await engine.show(root.id)).outcome).toMatchObject({ by: "ada" });
    const children = tasks.filter(({ spec }) => spec.parent !== null);
    expect(new Set(children.map(({ outcome }) => outcome?.status === "cancelled" && outcome.by))).toEqual(
      new Set(["its parent, which has ended"]),
    );
    expect(workspaces.open).toBe(0);
  });

  test("a child that was stopped alone does not stop its parent", async () => {
    const scripts = byAgent({ root: delegates("leaf", false), leaf: obeys });
    await using engine = await startEngine({ registry, backends: [scriptedBackend(scripts)] });
    const root = await engine.start({ agent: "root" });
    engine.work();
    const { children } = await engine.until(root.id, "waiting");
    for (const child of children) await engine.engine.stop(child, "ada");
    await engine.until(root.id, "completed");
    expect(factsOf(await engine.log(root.id), "child.ended")).toMatchObject([
      { status: "cancelled", summary: "stopped by ada" },
      { status: "cancelled", summary: "stopped by ada" },
    ]);
  });

  test("children of a task that failed end with it, and those of one that completed do not", async () => {
    const scripts = byAgent({
      root: async (_attempt, scope) => {
        await scope.delegate({ agent: "leaf", prompt: "help", background: true });
        throw new Error("bang");
      },
      lead: async (_attempt, scope) => {
        await scope.delegate({ agent: "leaf", prompt: "help", background: true });
        return { kind: "answered", answer: "it goes on" };
      },
      leaf: obeys,
    });
    await using engine = await startEngine({ registry, backends: [scriptedBackend(scripts)] });
    engine.work();
    const failed = await engine.start({ agent: "root" });
    const [orphan] = (await engine.until(failed.id, "failed")).children;
    await engine.until(orphan ?? failed.id, "cancelled");
    const completed = await engine.start({ agent: "lead" });
    const [heir] = (await engine.until(completed.id, "completed")).children;
    await expectStatus(engine, heir ?? completed.id, "running");
  });
});
