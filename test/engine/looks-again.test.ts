// When a worker looks for something to do: each look asks the store who works, and what is due.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { brandId } from "../../src/schema/index.ts";
import {
  answers,
  registryOf,
  type Script,
  startEngine,
  type TestEngineOptions,
  testWorld,
} from "../../src/testing/index.ts";
import { door, obeys, withWorker } from "./kit.ts";

const MANY = { maxConcurrent: 10, rateLimitPerMin: 1000 };

/** A lead that starts so many at once. */
const leading = (count: number, options: Partial<TestEngineOptions>) => {
  const together = Array.from({ length: count }, () => ({ delegate: "leaf", prompt: "a part" }));
  const registry = registryOf(
    { name: "lead", description: "Leads.", tape: [{ together }, { answer: "all done" }] },
    { name: "leaf", description: "Works.", tape: [{ answer: "done" }] },
  );
  return startEngine({ ...options, registry });
};

test("a worker that has found nothing more to do does not look again because a task has ended", async () => {
  const world = testWorld();
  const claims = vi.spyOn(world.store, "claim");
  const doors = [door(), door(), door()];
  await using engine = await withWorker(
    doors.map(({ script }) => script),
    { world, settings: MANY },
  );
  const tasks = await Promise.all(doors.map(() => engine.start({ agent: "worker" })));
  engine.work();
  for (const { id } of tasks) await engine.until(id, "running");
  await world.clock.settle();
  const looks = claims.mock.calls.length;
  doors[0]?.open();
  doors[1]?.open();
  for (const { id } of tasks.slice(0, 2)) await engine.until(id, "completed");
  expect(claims).toHaveBeenCalledTimes(looks);
  // With nothing left at work it may be time to leave.
  doors[2]?.open();
  for (const { id } of tasks) await engine.until(id, "completed");
  await world.clock.settle();
  expect(claims).toHaveBeenCalledTimes(looks + 1);
});

test("a worker that found every slot taken looks again when a task has ended, at once", async () => {
  const world = testWorld();
  const doors = [door(), door(), door()];
  await using engine = await withWorker(
    doors.map(({ script }) => script),
    { world, settings: { ...MANY, maxConcurrent: 2 } },
  );
  const first = await engine.start({ agent: "worker" });
  const second = await engine.start({ agent: "worker" });
  const third = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(second.id, "running");
  doors[0]?.open();
  await engine.until(first.id, "completed");
  const { status } = await engine.until(third.id, "running");
  expect(status, "and no time has passed").toBe("running");
  for (const { open } of doors) open();
});

test("for one tree a worker takes many at once; for all it leaves something for others", async () => {
  const world = testWorld();
  const claims = vi.spyOn(world.store, "claim");
  await using engine = await leading(10, { world, settings: { ...MANY, maxConcurrent: 20 } });
  const asked = () => claims.mock.calls.map(([{ most }]) => most);
  const root = await engine.start({ agent: "lead" });
  await engine.engine.work({ dispatch: ["auto"], root: root.id, until: "idle" });
  expect(await engine.show(root.id)).toMatchObject({ status: "completed" });
  expect(new Set(asked())).toEqual(new Set([16]));
  claims.mockClear();
  await engine.run({ agent: "lead" });
  expect(asked()).toEqual(expect.arrayContaining([1, 4]));
});

test("what an attempt starts is taken as it is admitted, as far as there are slots; the rest when one is free", async () => {
  const world = testWorld();
  const claims = vi.spyOn(world.store, "claim");
  await using engine = await leading(4, { world, settings: { ...MANY, maxConcurrent: 3 } });
  const root = await engine.run({ agent: "lead" });
  expect(root.status).toBe("completed");
  const given = await Promise.all(
    claims.mock.results.map(({ value }) => value as ReturnType<typeof world.store.claim>),
  );
  const claimed = given.flatMap((answer) => (answer.kind === "claimed" ? answer.claims : []));
  const children = await Promise.all(root.children.map((id) => engine.show(id)));
  expect(children.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "completed"));
  // The lead itself, and those for which there was no slot when they came.
  expect(claimed.length).toBeLessThanOrEqual(3);
});

test("a worker that is told to stop leaves nothing of what it takes behind", async () => {
  const world = testWorld();
  await using engine = await startEngine({
    world,
    settings: MANY,
    registry: registryOf(
      { name: "lead", description: "Leads.", tape: [{ delegate: "leaf", prompt: "a part" }, { answer: "all done" }] },
      { name: "leaf", description: "Works.", tape: [{ pause_ms: 60_000 }, { answer: "done" }] },
    ),
  });
  const stop = new AbortController();
  const admit = world.store.admit.bind(world.store);
  const root = await engine.start({ agent: "lead" });
  vi.spyOn(world.store, "admit").mockImplementation(async (...given) => {
    const answer = await admit(...given);
    stop.abort(); // it has been taken, and nobody knows of it yet
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
    return answer;
  });
  const append = world.store.append.bind(world.store);
  vi.spyOn(world.store, "append").mockImplementation(async (hold, ...rest) => {
    if (hold.task !== root.id) await sleep(20); // longer than the lead takes to leave
    return append(hold, ...rest);
  });
  await engine.engine.work({ dispatch: ["auto"], until: "idle" }, stop.signal);
  const [leaf] = await Promise.all((await engine.show(root.id)).children.map((id) => engine.show(id)));
  expect(leaf).toMatchObject({ status: "interrupted", holder: null });
});

test("a worker that has left because the store failed takes nothing more, although what it began goes on", async () => {
  const world = testWorld();
  const gate = door();
  const begun = Promise.withResolvers<void>();
  const lead: Script = async (attempt, scope) => {
    begun.resolve();
    await gate.script(attempt, scope);
    const { kind } = await scope.delegate({ agent: "worker", prompt: "a part" });
    return { kind: "answered", answer: kind };
  };
  await using engine = await withWorker([lead], { world, settings: MANY });
  const { id } = await engine.start({ agent: "worker" });
  const working = engine.engine.work({ dispatch: ["auto"], until: "stopped" });
  await begun.promise;
  vi.spyOn(world.store, "claim").mockRejectedValueOnce(new Error("the disk is full"));
  const other = await engine.start({ agent: "worker" });
  await expect(working).rejects.toThrow("the disk is full");
  gate.open();
  const root = await engine.until(id, "completed");
  const [child] = await Promise.all(root.children.map((one) => engine.show(one)));
  expect(root.outcome).toMatchObject({ answer: "started" });
  expect([child?.status, (await engine.show(other.id)).status]).toEqual(["pending", "pending"]);
});

test("an attempt whose end is decided is not watched for reasons to end it: its own end would be one", async () => {
  const world = testWorld();
  const looks = vi.spyOn(world.store, "task");
  await using engine = await withWorker([async () => ({ kind: "answered", answer: "done" })], { world });
  const { id } = await engine.start({ agent: "worker" });
  looks.mockClear();
  await engine.engine.work({ dispatch: ["auto"], until: "idle" });
  // When it begins, whether anybody wants it to end; and how it stands, before the end is written.
  expect(looks.mock.calls.filter(([task]) => task === id)).toHaveLength(2);
});

test("a worker for a tree that was never begun does not search it for what was interrupted", async () => {
  const world = testWorld();
  const searches = vi.spyOn(world.store, "tasks");
  await using engine = await withWorker([answers("done")], { world });
  const { id } = await engine.start({ agent: "worker" });
  await engine.engine.work({ dispatch: ["auto"], until: "idle", root: id });
  expect(searches).not.toHaveBeenCalled();
  expect((await engine.show(id)).status).toBe("completed");
});

test("a worker for a tree goes on with what was interrupted below its root", async () => {
  const world = testWorld();
  const capabilities = { resume: "turn" } as const;
  const first = await withWorker([obeys], { world, capabilities });
  const { id } = await first.start({ agent: "worker" });
  first.work({ root: id });
  const { holder } = await first.until(id, "running");
  first.kill();
  // By somebody who died as well, before it was queued again.
  await world.store.interrupt(holder ?? brandId("work", "nobody"), "its worker died");
  expect((await first.show(id)).status).toBe("interrupted");
  await using second = await withWorker([answers("done")], { world, capabilities });
  await second.engine.work({ dispatch: ["auto"], until: "idle", root: id });
  expect((await second.show(id)).status).toBe("completed");
});

test("unused sessions are looked for by the first worker of an engine, and again after an hour", async () => {
  const world = testWorld();
  const looks = vi.spyOn(world.store, "sessions");
  await using engine = await withWorker([], { world });
  const work = () => engine.engine.work({ dispatch: ["auto"], until: "idle" });
  await work();
  await work();
  expect(looks).toHaveBeenCalledTimes(1);
  await world.clock.advance(3_600_000);
  await work();
  expect(looks).toHaveBeenCalledTimes(2);
});

test("where a worker was stopped while it looked for unused sessions, the next one looks", async () => {
  const world = testWorld();
  const stopping = new AbortController();
  const sessions = world.store.sessions.bind(world.store);
  const looks = vi.spyOn(world.store, "sessions").mockImplementationOnce((query) => {
    stopping.abort("enough");
    return sessions(query);
  });
  await using engine = await withWorker([], { world });
  await engine.engine.work({ dispatch: ["auto"], until: "stopped" }, stopping.signal);
  await engine.engine.work({ dispatch: ["auto"], until: "idle" });
  expect(looks).toHaveBeenCalledTimes(2);
});
