import { expect, test } from "vitest";
import { BASELINE } from "../../src/domain/policy.ts";
import { call } from "../../src/operations/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { contextOf } from "./kit.ts";

const agents = registryOf(
  { name: "lead", description: "leads", tape: [{ delegate: "helper", prompt: "help" }, { answer: "led" }] },
  { name: "helper", description: "helps", tape: [{ hang: true }] },
);

const context = (engine: TestEngine, inside: TaskView | null) => contextOf(engine, { authority: "agent", inside });

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
    await expect(call("session.get", { session }, inside)).rejects.toMatchObject({ code: "session.not-found" });
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

test("an agent that starts another one by a program needs the right that its tools would need", async () => {
  const idle = { description: "waits", tape: [{ hang: true as const }] };
  await using engine = await startEngine({
    registry: registryOf(
      { ...idle, name: "alone" },
      { ...idle, name: "lead", capabilities: ["primary", "orchestrator"] },
      { ...idle, name: "namer", tools: ["Task(helper)"] },
      { ...idle, name: "helper" },
      { ...idle, name: "again", tools: ["Task(again)"] },
    ),
    baseline: { ...BASELINE, spawn: "ask" },
  });
  engine.work();
  const start = async (from: string, agent?: string) => {
    const task = await engine.start({ agent: from });
    const inside = context(engine, await engine.until(task.id, "running"));
    const started = await Promise.allSettled([
      call("task.start", { agent, prompt: "x" }, inside),
      call("task.start-many", { tasks: [{ agent: agent ?? "general-purpose", prompt: "x" }] }, inside),
    ]);
    return started.map((one) => (one.status === "fulfilled" ? "started" : String(one.reason)));
  };
  expect(await start("alone", "helper")).toEqual([
    expect.stringContaining('"alone" may not start "helper" (agent alone: deny Task)'),
    expect.stringContaining('"alone" may not start "helper" (agent alone: deny Task)'),
  ]);
  const unasked = expect.stringContaining('"lead" may not start "helper" (require_approval.subagents)');
  expect(await start("lead", "helper")).toEqual([unasked, unasked]);
  expect(await start("namer", "helper")).toEqual(["started", "started"]);
  const other = expect.stringContaining('"namer" may not start "general-purpose"');
  expect(await start("namer")).toEqual([other, other]);
  const itself = expect.stringContaining('"lead" may not call itself');
  expect(await start("lead", "Lead")).toEqual([itself, itself]);
  expect(await start("again", "again")).toEqual(["started", "started"]);
});
