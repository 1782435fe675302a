import { expect, test } from "vitest";
import { call, type Caller, type OperationContext } from "../../src/operations/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine } from "../../src/testing/index.ts";

const agents = registryOf(
  { name: "lead", description: "leads", tape: [{ delegate: "helper", prompt: "help" }, { answer: "led" }] },
  { name: "helper", description: "helps", tape: [{ hang: true }] },
);

const nothing = () => Promise.reject(new Error("there are no settings here"));

const unused = () => Promise.reject(new Error("nothing here asks for it"));

function context(engine: TestEngine, inside: TaskView | null): OperationContext {
  const config = { list: async () => ({ settings: [], warnings: [] }), get: nothing, set: nothing };
  const trust = {
    isTrusted: async () => false,
    grant: async () => {},
    revoke: async () => {},
    list: async () => [],
    pinsOf: async () => [],
    pin: async () => {},
  };
  const caller: Caller = { mouth: "test", authority: "agent", by: "tester", inside, askable: "inbox" };
  return {
    engine: engine.engine,
    trust,
    config,
    caller,
    conversion: unused,
    hosts: unused,
    memory: unused,
    tools: unused,
    project: "/p",
    signal: new AbortController().signal,
  };
}

test("an agent inside an attempt sees, waits for, steers and stops only what is below it", async () => {
  await using engine = await startEngine({ registry: agents });
  const lead = await engine.start({ agent: "lead" });
  const stranger = await engine.start({ agent: "helper" });
  engine.work();
  await engine.until(lead.id, "waiting");
  const [child] = (await engine.show(lead.id)).children;
  if (child === undefined) throw new Error("no child");
  const inside = context(engine, await engine.show(lead.id));

  expect((await call("task.get", { task: child }, inside)).id).toBe(child);
  expect((await call("task.list", {}, inside)).tasks.map(({ id }) => id)).toEqual([child]);
  for (const task of [stranger.id, lead.id]) {
    await expect(call("task.get", { task }, inside)).rejects.toMatchObject({ code: "task.not-found" });
    await expect(call("task.stop", { task }, inside)).rejects.toMatchObject({ code: "task.not-found" });
    await expect(call("task.send", { task, text: "hello" }, inside)).rejects.toMatchObject({ code: "task.not-found" });
    await expect(call("task.retry", { task }, inside)).rejects.toMatchObject({ code: "task.not-found" });
    await expect(call("task.events", { task }, inside)).rejects.toMatchObject({ code: "task.not-found" });
    await expect(call("task.wait", { task, waitMs: 0 }, inside)).rejects.toMatchObject({ code: "task.not-found" });
    const { session } = (await engine.show(task)).spec;
    await expect(call("session.get", { session }, inside)).rejects.toMatchObject({ code: "task.not-found" });
  }
  expect((await call("task.find", { ref: "@last" }, inside)).ids).toEqual([child]);
  expect((await call("task.find", { ref: "lead#1" }, inside)).ids).toEqual([]);
});

test("a task that an agent starts from inside an attempt is that attempt's child", async () => {
  await using engine = await startEngine({ registry: agents });
  const lead = await engine.start({ agent: "lead" });
  engine.work();
  await engine.until(lead.id, "waiting");
  const inside = context(engine, await engine.show(lead.id));
  const task = await call("task.start", { agent: "helper", prompt: "more" }, inside);
  expect(task.spec).toMatchObject({ parent: lead.id, root: lead.id, depth: 1 });
});

test("waiting for a task ends when it does, or when the time is up", async () => {
  await using engine = await startEngine({
    registry: registryOf({ name: "slow", description: "d", tape: [{ pause_ms: 5000 }, { answer: "done" }] }),
  });
  const task = await engine.start({ agent: "slow" });
  engine.work();
  const early = call("task.wait", { task: task.id, waitMs: 1000 }, context(engine, null));
  await engine.world.clock.advance(1000);
  expect((await early).status).toBe("waiting");
  const late = call("task.wait", { task: task.id, waitMs: 60_000 }, context(engine, null));
  await engine.world.clock.advance(4000);
  expect((await late).status).toBe("completed");
});

test("a task may only be tried again on a backend that it was admitted for", async () => {
  await using engine = await startEngine({
    registry: registryOf({ name: "a", description: "d", tape: [{ fail: "backend_error", message: "no" }] }),
  });
  const { id } = await engine.run({ agent: "a" });
  const retry = call("task.retry", { task: id, backend: "other" }, context(engine, null));
  await expect(retry).rejects.toMatchObject({ code: "task.state" });
  expect((await call("task.retry", { task: id }, context(engine, null))).result).toBe("done");
});
