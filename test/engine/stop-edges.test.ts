import { expect, test } from "vitest";
import type { AttemptScope } from "../../src/ports/index.ts";
import { answers, hangs, type Script, testWorld } from "../../src/testing/index.ts";
import { obeys, withWorker } from "./kit.ts";

test("a stop in the same moment as a shutdown is not forgotten", async () => {
  const engine = await withWorker([obeys]);
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(task.id, "running");
  expect(await engine.engine.stop(task.id, "ada")).toMatchObject({ kind: "told" });
  await engine.engine.close();
  expect((await engine.show(task.id)).status).toBe("cancelled");
});

test("children of a failed task are stopped, also when its worker dies in that moment", async () => {
  const world = testWorld();
  const lead: Script = async (_attempt, scope) => {
    await scope.delegate({ agent: "worker", prompt: "help", background: true });
    throw new Error("bang");
  };
  const dying = await withWorker([lead], { world, settings: { maxConcurrent: 1 } });
  await using engine = await withWorker([obeys], { world });
  const append = world.store.append.bind(world.store);
  world.store.append = async (hold, events) => {
    const view = await append(hold, events);
    if (events.some(({ type }) => type === "task.ended")) dying.kill();
    return view;
  };
  const task = await dying.start({ agent: "worker" });
  dying.work(); // the child stays queued: its parent has the only slot
  const { children } = await engine.until(task.id, "failed");
  world.store.append = append;
  engine.work();
  await world.clock.advance(60_000);
  expect((await engine.show(children[0] ?? task.id)).status).toBe("cancelled");
});

test.each([
  ["", 0],
  [", and so does the next before it has done it", 1],
])("children of a task whose worker dies before it has stopped it end with it%s", async (_, more) => {
  const world = testWorld();
  const lead: Script = async (_attempt, scope) => {
    await scope.delegate({ agent: "worker", prompt: "help", background: true });
    return new Promise(() => undefined);
  };
  const dying = await withWorker([lead, hangs()], { world, capabilities: { resume: "turn" } });
  const { id } = await dying.start({ agent: "worker" });
  dying.work();
  for (let round = 0; round < 50; round++) await world.clock.settle();
  const [child] = (await dying.show(id)).children;
  if (child === undefined) throw new Error("there is no child");
  const { holder, status } = await dying.show(child);
  expect(status).toBe("running");
  dying.kill();
  await world.store.command(id, { type: "stop", by: "ada" });
  if (more > 0 && holder !== null) await world.store.interrupt(holder, "died, too");
  const again = answers("not stopped");
  await using engine = await withWorker([again, again], { world, capabilities: { resume: "turn" } });
  engine.work();
  await world.clock.advance(60_000);
  for (const one of [id, child])
    expect((await engine.show(one)).outcome).toMatchObject({ status: "cancelled", by: "ada" });
});

test("a child that a stopped attempt asks for is refused, or stopped too", async () => {
  const world = testWorld();
  let scope: AttemptScope | undefined;
  const append = world.store.append.bind(world.store);
  world.store.append = async (hold, events) => {
    const isEnd = events.some(({ type }) => type === "task.ended");
    if (isEnd && scope !== undefined) {
      const late = scope;
      scope = undefined;
      await late.delegate({ agent: "worker", prompt: "late", background: true }).catch(() => undefined);
    }
    return append(hold, events);
  };
  const ignores: Script = (_attempt, given) => {
    scope = given;
    return new Promise(() => undefined);
  };
  await using engine = await withWorker([ignores, obeys], { world });
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(task.id, "running");
  await engine.engine.stop(task.id, "ada");
  await world.clock.advance(4000);
  const { children } = await engine.until(task.id, "cancelled");
  for (const child of children) expect((await engine.show(child)).status).toBe("cancelled");
});

test("a dead worker is noticed by one that is alive, although nothing else happens", async () => {
  const world = testWorld();
  const dying = await withWorker([hangs()], { world });
  await using engine = await withWorker([], { world });
  const task = await dying.start({ agent: "worker" });
  dying.work();
  await dying.until(task.id, "running");
  engine.work();
  await world.clock.settle();
  dying.kill();
  await world.clock.advance(3_600_000);
  expect((await engine.show(task.id)).status).toBe("interrupted");
});

test("a child that is stopped before it ran leaves its breadcrumb too", async () => {
  const lead: Script = async (_attempt, scope) => {
    const delegated = await scope.delegate({ agent: "worker", prompt: "help" });
    if (delegated.kind === "refused") throw new Error(delegated.message);
    await engine.engine.stop(delegated.child, "ada");
    await scope.outcomeOf(delegated.child);
    return { kind: "answered", answer: "done" };
  };
  await using engine = await withWorker([lead], { settings: { maxConcurrent: 1 } });
  const task = await engine.run({ agent: "worker" });
  const session = await engine.world.store.session(task.spec.session);
  expect(session?.breadcrumbs).toMatchObject([{ task: task.children[0], status: "cancelled" }]);
});

test("winding up and closing share the time that a stopped attempt has", async () => {
  const world = testWorld();
  const stopGraceMs = 2_000;
  const slow: Script = async (_attempt, { signal }) => {
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    await world.clock.sleep(stopGraceMs - 500, new AbortController().signal);
    return { kind: "answered", answer: "late", close: () => new Promise(() => undefined) };
  };
  await using engine = await withWorker([slow], { world, settings: { stopGraceMs } });
  const { id } = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(id, "running");
  await engine.engine.stop(id, "ada");
  await world.clock.advance(stopGraceMs - 500);
  expect((await engine.show(id)).status).toBe("running");
  await world.clock.advance(500);
  expect((await engine.show(id)).status).toBe("cancelled");
});
