import { describe, expect, test } from "vitest";
import {
  answers,
  registryOf,
  scriptedBackend,
  startEngine,
  testWorld,
  type TestWorld,
  untilStopped,
} from "../../src/testing/index.ts";
import { allTasks, door, expectStatus, mostComputing, wholeLog, withWorker } from "./kit.ts";

/** Ids of tasks, in the order in which their attempts started. */
const startedOrder = (log: Awaited<ReturnType<typeof wholeLog>>): string[] =>
  log.filter(({ event }) => event.type === "attempt.started").map(({ stream }) => stream.slice("task:".length));

describe("dispatch: limits", () => {
  test("two engines that share a store run no more at once than the limit allows", async () => {
    const world = testWorld();
    const { script, open } = door();
    const scripts = Array.from({ length: 6 }, () => script);
    const settings = { maxConcurrent: 2 };
    await using one = await withWorker(scripts, { world, settings });
    await using two = await withWorker(scripts, { world, settings });
    const tasks = [];
    for (let index = 0; index < 6; index++) tasks.push(await one.start({ agent: "worker" }));
    one.work();
    two.work();
    await world.clock.settle();
    expect(await world.store.tasks({ status: ["running"], limit: 10 })).toHaveLength(2);
    expect(await world.store.tasks({ status: ["pending"], limit: 10 })).toHaveLength(4);
    open();
    for (const { id } of tasks) await one.until(id, "completed");
    const log = await wholeLog(world);
    expect(mostComputing(log)).toBe(2);
    const workers = (await Promise.all(tasks.map(({ id }) => one.show(id)))).map(({ attempts }) => attempts[0]?.worker);
    expect(new Set(workers).size, "both engines took some").toBe(2);
  });

  test("no task is run by two workers", async () => {
    const world = testWorld();
    const backends = Array.from({ length: 4 }, () =>
      scriptedBackend(Array.from({ length: 20 }, () => answers("done"))),
    );
    const registry = registryOf({ name: "worker", description: "Works.", backend: "scripted" });
    const settings = { rateLimitPerMin: 1000 };
    const engines = await Promise.all(
      backends.map((backend) => startEngine({ world, registry, backends: [backend], settings })),
    );
    for (const engine of engines) engine.work();
    for (let index = 0; index < 20; index++) await engines[index % 4]?.start({ agent: "worker" });
    await world.clock.settle();
    expect(backends.reduce((sum, { starts }) => sum + starts, 0)).toBe(20);
    const tasks = await allTasks(world);
    expect(tasks.map(({ status, attempts }) => [status, attempts.length])).toEqual(
      Array.from({ length: 20 }, () => ["completed", 1]),
    );
    for (const engine of engines) await engine.engine.close();
  });

  test("so many attempts start in a minute, and the next one waits until it may", async () => {
    await using engine = await withWorker([answers("first"), answers("second")], { settings: { rateLimitPerMin: 1 } });
    await engine.run({ agent: "worker" });
    await engine.world.clock.advance(20_000);
    const second = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.advance(39_999);
    await engine.until(second.id, "pending");
    await engine.world.clock.advance(1);
    await expectStatus(engine, second.id, "completed");
  });
});

describe("dispatch: a worker that waits for a time", () => {
  /** How often the store was asked for something to do. */
  function countClaims(world: TestWorld): () => number {
    let claims = 0;
    const claim = world.store.claim.bind(world.store);
    world.store.claim = (request) => {
      claims++;
      if (claims > 1000) throw new Error("it asks without end");
      return claim(request);
    };
    return () => claims;
  }

  test("is woken by new work, and does not ask without end", async () => {
    const world = testWorld();
    const claims = countClaims(world);
    await using engine = await withWorker([answers("now"), answers("later")], { world });
    const later = await engine.start({ agent: "worker", notBefore: world.clock.now() + 60_000 });
    engine.work();
    await engine.until(later.id, "pending");
    const now = await engine.start({ agent: "worker" });
    await engine.until(now.id, "completed");
    expect(claims()).toBeLessThan(50);
    await world.clock.advance(60_000);
    await engine.until(later.id, "completed");
    expect(claims()).toBeLessThan(100);
  });

  test("starts so many in a minute, then the next, while the first still run", async () => {
    const world = testWorld();
    const claims = countClaims(world);
    const { script, open } = door();
    const scripts = Array.from({ length: 5 }, () => script);
    await using engine = await withWorker(scripts, { world, settings: { rateLimitPerMin: 2 } });
    for (let index = 0; index < 5; index++) await engine.start({ agent: "worker" });
    const running = async () => (await world.store.tasks({ status: ["running"], limit: 10 })).length;
    engine.work();
    await world.clock.advance(59_999);
    expect(await running()).toBe(2);
    await world.clock.advance(1);
    expect(await running()).toBe(4);
    await world.clock.advance(60_000);
    expect(await running()).toBe(5);
    expect(claims()).toBeLessThan(100);
    open();
    await world.clock.settle();
    expect(await world.store.tasks({ status: ["completed"], limit: 10 })).toHaveLength(5);
  });
});

describe("dispatch: priority and time", () => {
  test("the most urgent task is taken first, and among equals the oldest", async () => {
    const scripts = Array.from({ length: 5 }, () => answers("done"));
    await using engine = await withWorker(scripts, { settings: { maxConcurrent: 1 } });
    const tasks = [];
    for (const priority of [0, 5, -1, 5, 0]) tasks.push((await engine.start({ agent: "worker", priority })).id);
    await engine.engine.work({ dispatch: ["auto"], until: "idle" });
    const [a, b, c, d, e] = tasks;
    expect(startedOrder(await wholeLog(engine.world))).toEqual([b, d, a, e, c]);
  });

  test("a task with a time of its own is not started before it", async () => {
    await using engine = await withWorker([answers("done")]);
    const notBefore = engine.world.clock.now() + 3_600_000;
    const task = await engine.start({ agent: "worker", notBefore });
    engine.work();
    await engine.world.clock.advance(3_599_999);
    await engine.until(task.id, "pending");
    await engine.world.clock.advance(1);
    expect((await engine.until(task.id, "completed")).startedAt).toBe(notBefore);
  });

  test("a task whose time has come is taken although a more urgent one must wait for its own", async () => {
    await using engine = await withWorker([answers("now")]);
    const urgent = await engine.start({ agent: "worker", priority: 9, notBefore: engine.world.clock.now() + 1000 });
    const plain = await engine.start({ agent: "worker" });
    engine.work({ root: plain.id });
    await engine.until(plain.id, "completed");
    await expectStatus(engine, urgent.id, "pending");
  });
});

describe("dispatch: which worker takes what", () => {
  test("a manual task waits until somebody works on manual ones", async () => {
    await using engine = await withWorker([answers("auto"), answers("manual")]);
    const manual = await engine.start({ agent: "worker", dispatch: "manual" });
    const auto = await engine.start({ agent: "worker" });
    engine.work({ dispatch: ["auto"] });
    await engine.until(auto.id, "completed");
    await engine.until(manual.id, "pending");
    engine.work({ dispatch: ["auto", "manual"] });
    expect((await engine.until(manual.id, "completed")).outcome).toMatchObject({ answer: "manual" });
  });

  test("a worker for one tree leaves all others alone", async () => {
    await using engine = await withWorker([answers("mine")]);
    const other = await engine.start({ agent: "worker" });
    const mine = await engine.start({ agent: "worker" });
    await engine.engine.work({ dispatch: ["auto"], until: "idle", root: mine.id });
    await engine.until(mine.id, "completed");
    await expectStatus(engine, other.id, "pending");
  });

  test("a worker takes only tasks whose backend it has", async () => {
    const world = testWorld();
    const registry = registryOf({ name: "worker", description: "Works.", backend: "special" });
    await using without = await startEngine({ world, registry });
    await using having = await startEngine({
      world,
      registry,
      backends: [scriptedBackend([answers("done")], { name: "special" })],
    });
    const task = await having.start({ agent: "worker" });
    await without.engine.work({ dispatch: ["auto"], until: "idle" });
    await having.until(task.id, "pending");
    having.work();
    await expectStatus(having, task.id, "completed");
  });
});

describe("dispatch: when a worker leaves", () => {
  /** Whether a promise is settled, without waiting for it. */
  const isDone = async (promise: Promise<unknown>): Promise<boolean> =>
    Promise.race([promise.then(() => true), Promise.resolve().then(() => false)]);

  test("one that works until idle leaves at once when there is nothing", async () => {
    await using engine = await withWorker([]);
    await expect(engine.engine.work({ dispatch: ["auto"], until: "idle" })).resolves.toBeUndefined();
  });

  test("one that works until idle stays while something runs", async () => {
    const { script, open } = door();
    await using engine = await withWorker([script]);
    const task = await engine.start({ agent: "worker" });
    const working = engine.engine.work({ dispatch: ["auto"], until: "idle" });
    await engine.until(task.id, "running");
    expect(await isDone(working)).toBe(false);
    open();
    await working;
    await engine.until(task.id, "completed");
  });

  test("one that works until idle stays while a task waits for its time", async () => {
    await using engine = await withWorker([answers("done")]);
    const task = await engine.start({ agent: "worker", notBefore: engine.world.clock.now() + 5000 });
    const working = engine.engine.work({ dispatch: ["auto"], until: "idle" });
    await engine.world.clock.advance(4999);
    expect(await isDone(working)).toBe(false);
    await engine.world.clock.advance(1);
    await working;
    await engine.until(task.id, "completed");
  });

  test("one that lingers stays for a while after its last task, and for all that comes in that time", async () => {
    await using engine = await withWorker([answers("one"), answers("two")]);
    const working = engine.engine.work({ dispatch: ["auto"], until: "idle", lingerMs: 5000 });
    await engine.world.clock.advance(4000);
    const one = await engine.start({ agent: "worker" });
    await engine.until(one.id, "completed");
    await engine.world.clock.advance(4999);
    expect(await isDone(working)).toBe(false);
    const two = await engine.start({ agent: "worker" });
    await engine.until(two.id, "completed");
    await engine.world.clock.advance(5000);
    expect(await isDone(working)).toBe(true);
  });

  test("one that is told to stop interrupts what it runs and leaves the rest in the queue", async () => {
    await using engine = await withWorker([untilStopped()], { settings: { maxConcurrent: 1 } });
    const running = await engine.start({ agent: "worker" });
    const queued = await engine.start({ agent: "worker" });
    const enough = new AbortController();
    const working = engine.engine.work({ dispatch: ["auto"], until: "stopped" }, enough.signal);
    await engine.until(running.id, "running");
    enough.abort();
    await working;
    await engine.until(running.id, "interrupted");
    await expectStatus(engine, queued.id, "pending");
  });
});
