// A worker dies; another goes on. Nothing that was done is done again.
import { describe, expect, test } from "vitest";
import { scriptedModel, testWorld, type ReplyScript } from "../../src/testing/index.ts";
import { factsOf, fakeTool, startLoop } from "./kit.ts";

const TURNS = 10;

/** Ten turns, each with a step that must not be taken twice. By the number of replies it knows where it is. */
const script = (request: { messages: readonly { role: string }[] }) => {
  const turn = request.messages.filter(({ role }) => role === "assistant").length;
  return turn < TURNS
    ? { text: `turn ${turn}`, calls: [{ tool: "Step", input: { step: turn }, id: `step-${turn}` }] }
    : { text: "all ten" };
};
const replies: ReplyScript[] = Array.from({ length: 100 }, () => script);

describe("after kill -9", () => {
  test("at every model call, a new worker comes to the same answer, with each step taken once", async () => {
    for (let killAt = 1; killAt <= TURNS + 1; killAt++) {
      const world = testWorld();
      const steps: unknown[] = [];
      const step = () => fakeTool("Step", (input) => (steps.push(input), { ok: true, text: "done" }), "none");
      const hanging = scriptedModel(
        replies.map((reply, index) => (index + 1 === killAt ? { after: new Promise(() => undefined) } : reply)),
      );
      const first = await startLoop({ world, models: hanging, tools: [step()] });
      const task = await first.start({ agent: "agent" });
      first.work();
      await untilAsked(() => hanging.requests.length >= killAt, world.clock);
      first.kill();

      await using second = await startLoop({ world, models: scriptedModel(replies), tools: [step()] });
      second.work();
      const done = await second.until(task.id, "completed");
      expect(done.outcome).toMatchObject({ status: "completed", answer: "all ten", recovered: null });
      expect(steps).toEqual(Array.from({ length: TURNS }, (_, turn) => ({ step: turn })));
      expect(done.attempts).toHaveLength(2);
      expect(done.turns).toBe(TURNS + 1);
    }
  });

  test("inside a tool call, the model is told that nobody knows how it went", async () => {
    for (let killAt = 0; killAt < TURNS; killAt++) {
      const world = testWorld();
      const begun: unknown[] = [];
      const stuck = fakeTool(
        "Step",
        async (input) => {
          begun.push(input);
          if (begun.length === killAt + 1) await new Promise(() => undefined);
          return { ok: true, text: "done" };
        },
        "none",
      );
      const first = await startLoop({ world, models: scriptedModel(replies), tools: [stuck] });
      const task = await first.start({ agent: "agent" });
      first.work();
      await untilAsked(() => begun.length > killAt, world.clock);
      first.kill();

      const after = fakeTool("Step", (input) => (begun.push(input), { ok: true, text: "done" }), "none");
      await using second = await startLoop({ world, models: scriptedModel(replies), tools: [after] });
      second.work();
      const done = await second.until(task.id, "completed");
      expect(done.outcome).toMatchObject({ answer: "all ten" });
      expect(begun).toEqual(Array.from({ length: TURNS }, (_, turn) => ({ step: turn })));
      const unknown = factsOf(await second.log(task.id), "tool.returned").filter(({ ok }) => !ok);
      expect(unknown).toMatchObject([{ output: expect.stringContaining("outcome of this call is unknown") }]);
    }
  });

  test("a tool that can find out how it went says so", async () => {
    const world = testWorld();
    const stuck = fakeTool("Step", () => new Promise(() => undefined), "none");
    const first = await startLoop({
      world,
      models: scriptedModel([{ calls: [{ tool: "Step", input: {} }] }]),
      tools: [stuck],
    });
    const task = await first.start({ agent: "agent" });
    first.work();
    await untilAsked(() => stuck.ran.length > 0, world.clock);
    first.kill();

    const knows = { ...fakeTool("Step"), reattach: async () => ({ ok: true, text: "it went well" }) };
    const model = scriptedModel([{ text: "good" }]);
    await using second = await startLoop({ world, models: model, tools: [knows] });
    second.work();
    await second.until(task.id, "completed");
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: "tool", text: "it went well", isError: false });
  });

  test("a call that a person has allowed meanwhile is made, once, and nobody is asked again", async () => {
    const world = testWorld();
    const calls = [{ tool: "Bash", input: { command: "make" } }];
    const asking = fakeTool("Bash", undefined, "exec");
    const first = await startLoop({ world, models: scriptedModel([{ calls }]), tools: [asking] });
    const task = await first.start({ agent: "agent" });
    first.work();
    const [asked] = (await first.until(task.id, "waiting")).approvals;
    first.kill();
    if (asked === undefined) throw new Error("nobody was asked");
    const model = scriptedModel([{ text: "made" }]);
    await using second = await startLoop({ world, models: model, tools: [asking] });
    const answer = { verdict: "allow", scope: "once" } as const;
    await second.engine.command(task.id, { type: "answer", approval: asked.id, answer, by: "ada" });
    second.work();
    const done = await second.until(task.id, "completed");
    expect(asking.ran).toEqual([{ command: "make" }]);
    expect(done.approvals).toMatchObject([{ id: asked.id, state: "applied", answer }]);
  });

  test("between the end of the agent and the end of its task, nobody is asked again", async () => {
    const world = testWorld();
    const agents = [{ name: "agent", description: "x", output: { schema: { type: "object" } } }];
    const gate = Promise.withResolvers<void>();
    const first = await startLoop({
      world,
      agents: [...agents],
      gates: () => [{ name: "slow", check: () => (gate.resolve(), new Promise(() => undefined)) }],
      models: scriptedModel([{ calls: [{ tool: "complete_task", input: { result: { n: 1 } } }] }]),
    });
    const task = await first.start({ agent: "agent" });
    first.work();
    await untilAsked(() => false, world.clock, 50);
    await gate.promise;
    first.kill();

    const silent = scriptedModel([]);
    await using second = await startLoop({ world, agents: [...agents], models: silent });
    second.work();
    const done = await second.until(task.id, "completed");
    expect(done.outcome).toMatchObject({ output: { n: 1 }, evidence: "checked" });
    expect(silent.requests).toEqual([]);
  });
});

async function untilAsked(isThere: () => boolean, clock: { settle(): Promise<void> }, rounds = 2_000): Promise<void> {
  for (let round = 0; round < rounds && !isThere(); round++) await clock.settle();
}

test("what a worker leaves in peace, the next one goes on with by itself", async () => {
  const world = testWorld();
  const never = new Promise(() => undefined);
  const first = await startLoop({ world, models: scriptedModel([{ after: never }]) });
  const task = await first.start({ agent: "agent" });
  first.work();
  await first.until(task.id, "running");
  await first[Symbol.asyncDispose]();
  expect(await world.store.task(task.id)).toMatchObject({ status: "pending", attempts: [{}] });
  expect(factsOf(await first.log(task.id), "task.interrupted")).toEqual([
    { type: "task.interrupted", why: "its worker was shut down" },
  ]);

  await using second = await startLoop({ world, models: scriptedModel([{ text: "done" }]) });
  second.work();
  const done = await second.until(task.id, "completed");
  expect(done.attempts).toHaveLength(2);
});

test("what a worker leaves in peace, one that is at work already goes on with: a parent there waits for it", async () => {
  const world = testWorld();
  const agents = [
    { name: "lead", description: "leads", tools: ["Task"] },
    { name: "child", description: "digs" },
  ];
  const call = { tool: "Task", input: { subagent_type: "child", prompt: "dig" } };
  const isBoth = Promise.withResolvers<void>();
  const lead = scriptedModel([{ after: isBoth.promise, calls: [call] }, { text: "done" }]);
  const start = (maxConcurrent: number, child: ReplyScript) =>
    startLoop({
      world,
      settings: { maxConcurrent },
      agents,
      delegation: true,
      models: { lead, child: scriptedModel([child]) },
    });
  await using staying = await start(1, { text: "gold" });
  const leaving = await start(2, { after: new Promise(() => undefined) }); // it alone has room for the child
  const task = await staying.start({ agent: "lead" });
  staying.work();
  await staying.until(task.id, "running");
  leaving.work();
  isBoth.resolve();
  await leaving.untilAll("child", "running");
  await leaving[Symbol.asyncDispose]();
  await staying.until(task.id, "completed");
  expect((await staying.children(task))[0]).toMatchObject({ status: "completed", attempts: [{}, {}] });
});

test("a task that brings down every worker is left to a person after a few", async () => {
  const world = testWorld();
  const first = await startLoop({ world, models: scriptedModel([]) });
  const task = await first.start({ agent: "agent" });
  first.kill();
  for (let worker = 1; worker <= 5; worker++) {
    const engine = await startLoop({ world, models: scriptedModel([{ after: new Promise(() => undefined) }]) });
    engine.work();
    await engine.until(task.id, "running");
    engine.kill();
  }
  await using last = await startLoop({ world, models: scriptedModel([{ text: "never asked" }]) });
  last.work();
  expect((await last.until(task.id, "interrupted")).attempts).toHaveLength(5);
});
