import { describe, expect, test } from "vitest";
import { isLeftToPerson } from "../../src/engine/recover.ts";
import type { AttemptScope, BackendEnd, Capabilities, Custody, Keep } from "../../src/ports/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
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
import { taskAfter, taskEvents } from "../domain/samples.ts";
import { expectStatus, factsOf, obeys, typesOf, wholeLog, withWorker } from "./kit.ts";

const registry = registryOf({ name: "worker", description: "Works.", backend: "scripted" });

/** Starts nothing, so there is nothing to end. */
const emptyKeep: Keep = {
  spawn: () => {
    throw new Error("nothing is started here");
  },
  endAll: async () => undefined,
};

/** One engine that dies at work, and another that comes after it. */
async function afterDeath(script: Script, next: readonly Script[], capabilities: Partial<Capabilities> = {}) {
  const world = testWorld();
  const dying = await startEngine({ world, registry, backends: [scriptedBackend([script], { capabilities })] });
  const backend = scriptedBackend(next, { capabilities });
  const engine = await startEngine({ world, registry, backends: [backend], settings: { maxConcurrent: 1 } });
  const task = await dying.start({ agent: "worker" });
  dying.work();
  await world.clock.settle();
  dying.kill();
  return { world, engine, task, backend };
}

describe("recover: after a worker was killed", () => {
  test.each(["none", "session"] as const)(
    "its task is interrupted, and is not run again by itself where a backend can resume %s",
    async (resume) => {
      const { engine, task, backend } = await afterDeath(hangs(), [answers("again")], { resume });
      await using _engine = engine;
      engine.work();
      const view = await engine.until(task.id, "interrupted");
      expect(view).toMatchObject({ holder: null, outcome: null, interruption: expect.stringContaining("died") });
      expect(view.attempts).toMatchObject([{ end: "interrupted" }]);
      await engine.world.clock.advance(3_600_000);
      expect(backend.starts).toBe(0);
    },
  );

  test("its task goes on by itself where a backend can resume from its last turn", async () => {
    const { engine, task } = await afterDeath(hangs(), [answers("again")], { resume: "turn" });
    await using _engine = engine;
    engine.work();
    const view = await engine.until(task.id, "completed");
    expect(view).toMatchObject({ interruption: null, outcome: { answer: "again" } });
    expect(view.attempts).toMatchObject([{ end: "interrupted" }, { attempt: 2, end: "completed" }]);
    expect(factsOf(await engine.log(task.id), "task.requeued")).toMatchObject([{ because: "recovery", by: "cadre" }]);
  });

  test("what its programs left behind is ended before its task may run again", async () => {
    const world = testWorld();
    const dying = await withWorker([hangs()], { world });
    const task = await dying.start({ agent: "worker" });
    dying.work();
    const { holder } = await dying.until(task.id, "running");
    dying.kill();
    const swept: unknown[] = [];
    const custody: Custody = {
      tier: "tracked",
      open: () => emptyKeep,
      sweep: async (worker) => swept.push(worker, (await world.store.task(task.id))?.status),
    };
    await using engine = await withWorker([], { world, custody });
    engine.work();
    await engine.until(task.id, "interrupted");
    expect(swept).toEqual([holder, "running"]);
  });

  test("a person can say that it is tried again: that is attempt 2", async () => {
    let attempt: number | undefined;
    const keeps: Script = async (given) => {
      attempt = given.attempt;
      return { kind: "answered", answer: "again" };
    };
    const { engine, task } = await afterDeath(hangs(), [keeps]);
    await using _engine = engine;
    engine.work();
    await engine.until(task.id, "interrupted");
    const answer = await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    expect(answer).toMatchObject({ kind: "done", task: { status: "pending" } });
    const view = await engine.until(task.id, "completed");
    expect(attempt).toBe(2);
    expect(view.attempts.map((one) => [one.attempt, one.end])).toEqual([
      [1, "interrupted"],
      [2, "completed"],
    ]);
    expect(factsOf(await engine.log(task.id), "task.requeued")).toMatchObject([{ because: "retry", by: "ada" }]);
  });

  test("its slot is free for others", async () => {
    const { engine } = await afterDeath(hangs(), [answers("other")]);
    await using _engine = engine;
    const other = await engine.start({ agent: "worker" });
    engine.work();
    await expectStatus(engine, other.id, "completed");
  });

  test("a task that waited is interrupted like one that ran", async () => {
    const waits: Script = async (_attempt, scope) => {
      await scope.hearNext();
      return { kind: "answered", answer: "unreachable" };
    };
    const { engine, task } = await afterDeath(waits, []);
    await using _engine = engine;
    engine.work();
    expect(await engine.until(task.id, "interrupted")).toMatchObject({ waitingOn: null });
  });

  test("an interrupted task can be stopped, and then is not tried again", async () => {
    const { engine, task, backend } = await afterDeath(hangs(), []);
    await using _engine = engine;
    engine.work();
    await engine.until(task.id, "interrupted");
    expect(await engine.engine.stop(task.id, "ada")).toMatchObject({ kind: "done" });
    await engine.until(task.id, "cancelled");
    expect(backend.starts).toBe(0);
  });

  test("its children go on, and end with it when it is stopped", async () => {
    const world = testWorld();
    const lead: Script = async (_attempt, scope) => {
      for (let index = 0; index < 2; index++)
        await scope.delegate({ agent: "worker", prompt: "help", background: true });
      return new Promise(() => undefined);
    };
    const dying = await withWorker([lead], { world, settings: { maxConcurrent: 1 } });
    const task = await dying.start({ agent: "worker" });
    dying.work();
    const { children } = await dying.until(task.id, "running");
    dying.kill();
    await using engine = await withWorker([obeys], { world, settings: { maxConcurrent: 1 } });
    engine.work();
    const [running, queued] = children;
    if (running === undefined || queued === undefined) throw new Error("two children were expected");
    await engine.until(task.id, "interrupted");
    await engine.until(running, "running");
    await engine.until(queued, "pending");
    await engine.engine.stop(task.id, "ada");
    await engine.until(task.id, "cancelled");
    expect((await engine.until(running, "cancelled")).outcome).toMatchObject({ how: "cooperative" });
    expect((await engine.until(queued, "cancelled")).outcome).toMatchObject({ how: "unstarted" });
  });

  test("a stop that a worker was told and did not live to do is done by the next", async () => {
    const world = testWorld();
    const capabilities = { resume: "turn" } as const;
    const dying = await withWorker([hangs()], { world, capabilities });
    const backend = scriptedBackend([answers("unreachable")], { capabilities });
    await using engine = await startEngine({ world, registry, backends: [backend] });
    const task = await dying.start({ agent: "worker" });
    dying.work();
    await dying.until(task.id, "running");
    void dying.engine.stop(task.id, "ada");
    dying.kill();
    engine.work();
    expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ by: "ada", how: "forced" });
    expect(backend.starts).toBe(0);
  });

  test("what was still reserved counts as spent: the call may have been made", async () => {
    const reserves: Script = async (_attempt, scope) => {
      await scope.reserve({ microUsd: 0, tokens: 40 });
      return new Promise(() => undefined);
    };
    const { engine, task } = await afterDeath(reserves, []);
    await using _engine = engine;
    engine.work();
    expect((await engine.until(task.id, "interrupted")).spent.tokens).toBe(40);
  });

  test("whatever the killed process still does reaches nothing", async () => {
    let late: AttemptScope | undefined;
    const end = Promise.withResolvers<BackendEnd>();
    const keeps: Script = (_attempt, scope) => {
      late = scope;
      return end.promise;
    };
    const { world, engine, task } = await afterDeath(keeps, []);
    await using _engine = engine;
    engine.work();
    await engine.until(task.id, "interrupted");
    const before = await wholeLog(world);
    void late?.append({ type: "message.said", text: "I live" });
    void late?.permit({ tool: "Read", effect: "read", input: {} });
    end.resolve({ kind: "answered", answer: "I live" });
    await world.clock.advance(60_000);
    expect(await wholeLog(world)).toEqual(before);
  });
});

describe("recover: a worker that is alive", () => {
  test("is left alone, however long it takes", async () => {
    const world = testWorld();
    await using busy = await withWorker([obeys], { world, settings: { timeoutMs: 36_000_000, maxRuntimeMins: 600 } });
    await using other = await withWorker([answers("done"), answers("done")], { world });
    const task = await busy.start({ agent: "worker" });
    busy.work({ root: task.id });
    await busy.until(task.id, "running");
    other.work();
    for (let hour = 0; hour < 2; hour++) {
      await world.clock.advance(3_600_000);
      await other.until((await other.start({ agent: "worker" })).id, "completed");
    }
    expect((await busy.until(task.id, "running")).attempts).toHaveLength(1);
  });

  test("and is thought dead loses its task: its backend is told to end, and nothing it writes is taken", async () => {
    const world = testWorld();
    const workspaces = memoryWorkspaces();
    let late: AttemptScope | undefined;
    const keeps: Script = (attempt, scope) => {
      late = scope;
      return obeys(attempt, scope);
    };
    await using engine = await withWorker([keeps, answers("again")], { world, workspaces });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const { holder } = await engine.until(task.id, "running");
    if (holder === null) throw new Error("somebody must hold it");
    await world.store.interrupt(holder, "thought dead");
    await engine.until(task.id, "interrupted");
    expect(late?.signal.reason).toMatchObject({ over: { kind: "lost" } });
    expect(workspaces.open).toBe(0);
    await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    await engine.until(task.id, "completed");
    await expect(late?.permit({ tool: "Read", effect: "read", input: {} })).rejects.toThrow("the attempt is over");
    const stale = { task: task.id, attempt: 1, worker: holder };
    await expect(world.store.append(stale, [{ type: "message.said", text: "I live" }])).rejects.toMatchObject({
      code: "attempt.stale",
    });
    expect(typesOf(await engine.log(task.id))).not.toContain("message.said");
  });
});

describe("recover: after a shutdown", () => {
  test("what ran is interrupted, and can be run again", async () => {
    const world = testWorld();
    const workspaces = memoryWorkspaces();
    const closing = await withWorker([untilStopped()], { world, workspaces });
    await using engine = await withWorker([answers("again")], { world });
    const task = await closing.start({ agent: "worker" });
    closing.work();
    await closing.until(task.id, "running");
    await closing.engine.close();
    expect(await engine.until(task.id, "interrupted")).toMatchObject({ interruption: "its worker was shut down" });
    expect(workspaces.open).toBe(0);
    expect(world.clock.sleepers).toBe(0);
    await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    engine.work();
    await engine.until(task.id, "completed");
  });

  test("a backend that ignores it is left behind after two seconds", async () => {
    await using engine = await withWorker([hangs()]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    let isClosed = false;
    const closed = engine.engine.close().then(() => (isClosed = true));
    await engine.world.clock.advance(1999);
    expect(isClosed).toBe(false);
    await engine.world.clock.advance(1);
    await closed;
    await engine.until(task.id, "interrupted");
  });

  test("what is queued stays queued", async () => {
    const engine = await withWorker([untilStopped()], { settings: { maxConcurrent: 1 } });
    const running = await engine.start({ agent: "worker" });
    const queued = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(running.id, "running");
    await engine.engine.close();
    await engine.until(running.id, "interrupted");
    expect(await engine.until(queued.id, "pending")).toMatchObject({ attempts: [] });
  });
});

describe("recover: what is left to a person", () => {
  const stuck = taskAfter(taskEvents["attempt.started"], taskEvents["task.interrupted"]);
  const [attempt] = stuck.attempts;
  const parts = (resume: "none" | "turn") =>
    ({ backends: new Map([["tape", scriptedBackend([], { name: "tape", capabilities: { resume } })]]) }) as never;
  const cases: [what: string, task: TaskView, resume: "none" | "turn", isLeft: boolean][] = [
    ["is what was interrupted on a backend that cannot go on", stuck, "none", true],
    ["is not what goes on by itself", stuck, "turn", false],
    ["is what has brought down five workers", { ...stuck, attempts: Array(5).fill(attempt) as never }, "turn", true],
    ["is not what is to be stopped", { ...stuck, stopRequestedBy: "ada" }, "none", false],
    ["is not known of a backend that is not here", { ...stuck, backend: "elsewhere" }, "none", false],
    ["is not what runs", { ...stuck, status: "running" }, "none", false],
  ];

  test.each(cases)("%s", (_, task, resume, isLeft) => {
    expect(isLeftToPerson(task, parts(resume))).toBe(isLeft);
  });
});
