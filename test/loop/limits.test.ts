// Slots, waits and further attempts.
import { expect, test } from "vitest";
import { type ReplyScript, scriptedModel } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop } from "./kit.ts";

const never = new Promise(() => undefined);

test("one slot is enough for three levels: who waits for a child computes nothing", async () => {
  const to = (agent: string): ReplyScript => ({
    calls: [{ tool: "Task", input: { subagent_type: agent, prompt: "x" } }],
  });
  const models = {
    top: scriptedModel([to("middle"), { text: "top" }]),
    middle: scriptedModel([
      { calls: [1, 2].map(() => ({ tool: "Task", input: { subagent_type: "leaf", prompt: "x" } })) },
      { text: "middle" },
    ]),
    leaf: scriptedModel([{ text: "one" }, { text: "two" }]),
  };
  const agents: AgentWish[] = [
    { name: "top", description: "t", tools: ["Task"] },
    { name: "middle", description: "m", tools: ["Task"] },
    { name: "leaf", description: "l" },
  ];
  await using engine = await startLoop({ models, agents, delegation: true, settings: { maxConcurrent: 1 } });
  expect((await engine.run({ agent: "top" })).outcome).toMatchObject({ status: "completed", answer: "top" });
  expect(await engine.all()).toHaveLength(4);
});

test("a stop while it waits to try a model again ends it at once", async () => {
  const model = scriptedModel([{ error: { kind: "rate_limited", message: "429", retryAfterMs: 100_000 } }]);
  await using engine = await startLoop({ models: model });
  const task = await engine.start({ agent: "agent" });
  engine.work();
  await engine.until(task.id, "waiting");
  await engine.engine.stop(task.id, "ada");
  expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ how: "cooperative" });
  expect(model.requests).toHaveLength(1);
});

test("a wait before another try is time of the task: it ends when that is up, and the agent has its last words", async () => {
  const slow = { error: { kind: "rate_limited", message: "429", retryAfterMs: 6_000 } } as const;
  const model = scriptedModel([slow, slow, { text: "as far as I came" }]);
  await using engine = await startLoop({ models: model });
  const task = await engine.start({ agent: "agent", limits: { timeoutMs: 8_000 } });
  engine.work();
  await engine.until(task.id, "waiting");
  await engine.world.clock.advance(6_000);
  await engine.until(task.id, "waiting"); // its slot is given back again
  expect(model.requests).toHaveLength(2);
  await engine.world.clock.advance(1_999);
  expect(model.requests).toHaveLength(2);
  await engine.world.clock.advance(1);
  const done = await engine.until(task.id, "completed");
  expect(done.outcome).toMatchObject({ answer: "as far as I came", recovered: { limit: "timeout" } });
  model.done();
});

test("while others have the only slot, the time for last words stands still", async () => {
  const slow = { error: { kind: "rate_limited", message: "429", retryAfterMs: 6_000 } } as const;
  const busy = Promise.withResolvers<void>();
  const model = scriptedModel([slow, { text: "busy", after: busy.promise }, { text: "as far as I came" }]);
  await using engine = await startLoop({ models: model, settings: { maxConcurrent: 1 } });
  const task = await engine.start({ agent: "agent", limits: { timeoutMs: 5_000 } });
  engine.work();
  await engine.until(task.id, "waiting");
  const other = await engine.start({ agent: "agent" });
  await engine.until(other.id, "running");
  await engine.world.clock.advance(5_000); // the time is up
  await engine.world.clock.advance(120_000);
  expect((await engine.show(task.id)).outcome).toBeNull();
  busy.resolve();
  const done = await engine.until(task.id, "completed");
  expect(done.outcome).toMatchObject({ answer: "as far as I came", recovered: { limit: "timeout" } });
  model.done();
});

test("a further attempt after its last words begins with all tools, in the same conversation", async () => {
  const model = scriptedModel([
    { calls: [{ tool: "Read", input: {} }] },
    { after: never },
    { after: never }, // its last words do not come
    { text: "found it" },
  ]);
  const agents: AgentWish[] = [{ name: "agent", description: "x", retry: { attempts: 2, on: ["timeout"] } }];
  await using engine = await startLoop({ models: model, agents, tools: [fakeTool("Read")] });
  const task = await engine.start({ agent: "agent", limits: { timeoutMs: 60_000 } });
  engine.work();
  await engine.until(task.id, "running");
  for (let round = 0; round < 20; round++) await engine.world.clock.settle();
  await engine.world.clock.advance(60_000);
  await engine.world.clock.advance(60_000);
  const done = await engine.until(task.id, "completed");
  expect(done.outcome).toMatchObject({ answer: "found it", recovered: null });
  expect(done.attempts).toHaveLength(2);
  const last = model.requests.at(-1);
  expect(last?.tools.map(({ name }) => name)).toEqual(["Read"]);
  expect(last?.messages.at(-1)?.text).toContain("you have another attempt at it");
  expect(factsOf(await engine.log(task.id), "tool.called")).toHaveLength(1);
});

test("a task that is stopped while it waits for its slot never begins", async () => {
  const models = {
    lead: scriptedModel([
      { calls: [{ tool: "Task", input: { subagent_type: "child", prompt: "x", run_in_background: true } }] },
      async () => ({ calls: [{ tool: "TaskStop", input: { task_id: await childId() } }] }),
      { text: "done" },
    ]),
    child: scriptedModel([]),
  };
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task"] },
    { name: "child", description: "digs" },
  ];
  const engine = await startLoop({ models, agents, delegation: true, settings: { maxConcurrent: 1 } });
  const childId = async () => (await engine.all()).find(({ spec }) => spec.parent !== null)?.id ?? "";
  await using _engine = engine;
  const task = await engine.run({ agent: "lead" });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
  expect((await engine.children(task))[0]?.outcome).toMatchObject({ status: "cancelled", how: "unstarted" });
  expect(models.child.requests).toEqual([]);
});

test("the time is up while one call works and another waits for a child: there are last words, whether the child ends or not", async () => {
  const childDone = Promise.withResolvers<void>();
  const models = () => ({
    lead: scriptedModel([
      {
        calls: [
          { tool: "Read", input: {} },
          { tool: "Task", input: { subagent_type: "child", prompt: "x" } },
        ],
      },
      { text: "what I have" },
    ]),
    child: scriptedModel([{ after: childDone.promise, text: "dug" }]),
  });
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task", "Read"] },
    { name: "child", description: "digs" },
  ];
  for (const ends of [false, true]) {
    const tools = [fakeTool("Read", () => new Promise(() => undefined))];
    await using engine = await startLoop({ models: models(), agents, delegation: true, tools });
    const task = await engine.start({ agent: "lead", limits: { timeoutMs: 60_000 } });
    engine.work();
    await engine.untilAll("child", "running");
    await engine.world.clock.advance(60_000);
    if (ends) childDone.resolve();
    else await engine.world.clock.advance(62_000);
    const done = await engine.until(task.id, "completed");
    expect(done.outcome).toMatchObject({ answer: "what I have", recovered: { limit: "timeout" } });
    const [child] = await engine.children(done);
    expect(child?.outcome).toMatchObject({ status: "cancelled", by: `its parent ${task.id}` });
  }
});

test("a call of a tool in the last words is told that none is left", async () => {
  const read = { calls: [{ tool: "Read", input: {} }] };
  await using engine = await startLoop({ models: scriptedModel([read, read]), tools: [fakeTool("Read")] });
  const task = await engine.run({ agent: "agent", limits: { maxTurns: 1 } });
  const [refused] = factsOf(await engine.log(task.id), "tool.refused");
  expect(refused?.decision.rule).toContain("No tools are left: answer in words.");
});
