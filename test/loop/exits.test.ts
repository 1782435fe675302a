// The ways out of a task that go through somebody else.
import { describe, expect, test } from "vitest";
import type { Exit } from "../../src/schema/index.ts";
import { scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop, toolTexts } from "./kit.ts";

const withExits = (...exits: Exit[]): AgentWish[] => [{ name: "agent", description: "x", completion: { exits } }];
const ask = { calls: [{ tool: "ask_for_help", input: { question: "Which door?" } }] };
const message = { calls: [{ tool: "message_user", input: { message: "It is done." } }] };
const complete = { calls: [{ tool: "complete_task", input: { result: "the red one" } }] };

test("ask_for_help waits in the inbox, without a slot, and goes on with the answer", async () => {
  const model = scriptedModel([ask, complete]);
  await using engine = await startLoop({ models: model, agents: withExits("ask_for_help", "complete_task") });
  const task = await engine.start({ agent: "agent" });
  engine.work();
  const waiting = await engine.until(task.id, "waiting");
  const [approval] = waiting.approvals;
  expect(approval).toMatchObject({
    kind: "question",
    title: "agent asks for help",
    body: "Which door?",
    state: "open",
  });
  if (approval === undefined) return;
  const answer = { verdict: "text", text: "the red one" } as const;
  await engine.engine.command(task.id, { type: "answer", approval: approval.id, answer, by: "ada" });
  await engine.until(task.id, "completed");
  expect(toolTexts(model.requests[1])).toEqual(["the red one"]);
});

test("ask_for_help that nobody answers in time is told so, and goes on alone", async () => {
  const model = scriptedModel([ask, complete]);
  await using engine = await startLoop({ models: model, agents: withExits("ask_for_help", "complete_task") });
  const task = await engine.start({ agent: "agent" });
  engine.work();
  await engine.until(task.id, "waiting");
  await engine.world.clock.advance(600_000);
  await engine.until(task.id, "completed");
  expect(toolTexts(model.requests[1])[0]).toContain("No help: nobody answered in time");
});

test("message_user with nobody there to reply is delivered, and ends the task", async () => {
  await using engine = await startLoop({ models: scriptedModel([message]), agents: withExits("message_user") });
  const task = await engine.run({ agent: "agent", askable: "nobody" });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "It is done.", recovered: null });
});

test("message_user as its last words ends the task, whatever is replied: there is no turn left for it", async () => {
  const read = { calls: [{ tool: "Read", input: {} }] };
  const model = scriptedModel([read, message]);
  const agents = withExits("message_user");
  await using engine = await startLoop({ models: model, agents, tools: [fakeTool("Read")] });
  const task = await engine.start({ agent: "agent", limits: { maxTurns: 1 } });
  engine.work();
  const [approval] = (await engine.until(task.id, "waiting")).approvals;
  if (approval === undefined) throw new Error("nobody is asked");
  const answer = { verdict: "text", text: "thanks" } as const;
  await engine.engine.command(task.id, { type: "answer", approval: approval.id, answer, by: "ada" });
  for (let round = 0; round < 100; round++) await engine.world.clock.settle();
  expect((await engine.show(task.id)).outcome).toMatchObject({
    status: "completed",
    answer: "It is done.",
    recovered: { limit: "max_turns" },
  });
});

test("message_user as its last words, when its time was up, is delivered at once: nobody's reply is waited for", async () => {
  const model = scriptedModel([{ after: new Promise(() => undefined) }, message]);
  await using engine = await startLoop({ models: model, agents: withExits("message_user") });
  const task = await engine.start({ agent: "agent", limits: { timeoutMs: 60_000 } });
  engine.work();
  await engine.until(task.id, "running");
  await engine.world.clock.advance(60_000);
  const { outcome, approvals } = await engine.until(task.id, "completed");
  expect(outcome).toMatchObject({ answer: "It is done.", recovered: { limit: "timeout" } });
  expect(approvals).toMatchObject([{ body: "It is done.", state: "expired" }]);
});

test("a question that is open when the time is up, beside a tool that runs, does not cost the last words", async () => {
  const hold = fakeTool("Read", () => new Promise(() => undefined));
  const help = ask.calls[0];
  if (help === undefined) throw new Error("there is a call");
  const model = scriptedModel([{ calls: [{ tool: "Read", input: {} }, help] }, complete]);
  const agents = withExits("ask_for_help", "complete_task");
  await using engine = await startLoop({ models: model, agents, tools: [hold] });
  const task = await engine.start({ agent: "agent", limits: { timeoutMs: 60_000 } });
  engine.work();
  for (let round = 0; round < 500 && (await engine.show(task.id)).approvals.length === 0; round++)
    await engine.world.clock.settle();
  await engine.world.clock.advance(60_000);
  expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ recovered: { limit: "timeout" } });
  expect(toolTexts(model.requests[1])[1]).toContain("No help: nobody answered in time");
});

test("a question that was open when the worker died is asked again, and answered once", async () => {
  const world = testWorld();
  const agents = withExits("ask_for_help", "complete_task");
  const first = await startLoop({ world, agents, models: scriptedModel([ask]) });
  const task = await first.start({ agent: "agent" });
  first.work();
  await first.until(task.id, "waiting");
  first.kill();
  const model = scriptedModel([complete]);
  await using second = await startLoop({ world, agents, models: model });
  second.work();
  const isAsked = async () => (await second.show(task.id)).approvals.filter(({ state }) => state === "open");
  for (let round = 0; round < 500 && (await second.show(task.id)).attempts.length < 2; round++)
    await world.clock.settle();
  await second.until(task.id, "waiting");
  const open = await isAsked();
  const last = open.at(-1);
  if (last === undefined) throw new Error("nobody is asked");
  const answer = { verdict: "text", text: "the red one" } as const;
  await second.engine.command(task.id, { type: "answer", approval: last.id, answer, by: "ada" });
  const done = await second.until(task.id, "completed");
  expect(done.outcome).toMatchObject({ answer: "the red one" });
  expect(toolTexts(model.requests[0])).toEqual(["the red one"]);
  expect(open).toHaveLength(1);
});

describe("several exits in one turn: the first in the reply counts", () => {
  const completing = { id: "c", tool: "complete_task", input: { result: { n: 1 } } };
  const submitting = { id: "s", tool: "submit_for_review", input: { summary: "look" } };
  const telling = { id: "m", tool: "message_user", input: { message: "It is done." } };
  const agents: AgentWish[] = [
    {
      name: "agent",
      description: "x",
      output: { schema: { type: "object" } },
      completion: { exits: ["complete_task", "submit_for_review", "message_user"] },
    },
  ];
  const problemsOf = async () => undefined;
  const never = new Promise<never>(() => undefined);
  const orders = [
    ["complete_task", [completing, submitting]],
    ["submit_for_review", [submitting, completing]],
    ["message_user", [telling, completing]],
  ] as const;

  /** By which exit it ended. A worker that is to die does so where `dying` lets it hang. */
  async function endedBy(calls: readonly (typeof completing | typeof submitting | typeof telling)[], dying?: Dying) {
    const world = testWorld();
    const by: (Exit | undefined)[] = [];
    const gates = (_task: unknown, { exit }: { readonly exit?: Exit | undefined }) => (by.push(exit), []);
    if (dying !== undefined) {
      const first = await startLoop({ world, agents, models: scriptedModel([{ calls: [...calls] }]), ...dying });
      await first.start({ agent: "agent", askable: "nobody" });
      first.work();
      for (let round = 0; round < 100; round++) await world.clock.settle();
      first.kill();
    }
    const model = scriptedModel(dying === undefined ? [{ calls: [...calls] }] : []);
    await using engine = await startLoop({ world, agents, gates, models: model, loop: { problemsOf } });
    if (dying === undefined) await engine.start({ agent: "agent", askable: "nobody" });
    engine.work();
    await engine.untilAll("agent", "completed");
    expect(by).toHaveLength(1);
    return by[0];
  }
  type Dying = Pick<Parameters<typeof startLoop>[0], "gates" | "loop">;

  test.each(orders)("%s", async (exit, calls) => {
    expect(await endedBy(calls)).toBe(exit);
  });

  test.each(orders)("%s, when the worker dies while the work is judged", async (exit, calls) => {
    const dying: Dying = { loop: { problemsOf }, gates: () => [{ name: "slow", check: () => never }] };
    expect(await endedBy(calls, dying)).toBe(exit);
  });

  test.each(orders)("%s, when the worker dies before all of them have their result", async (exit, calls) => {
    expect(await endedBy(calls, { loop: { problemsOf: () => never } })).toBe(exit);
  });

  test("complete_task, although its output takes longer to check", async () => {
    const slow = Promise.withResolvers<undefined>();
    const by: (Exit | undefined)[] = [];
    await using engine = await startLoop({
      agents,
      models: scriptedModel([{ calls: [completing, submitting] }]),
      gates: (_task, { exit }) => (by.push(exit), []),
      loop: { problemsOf: () => slow.promise },
    });
    await engine.start({ agent: "agent" });
    engine.work();
    for (let round = 0; round < 50; round++) await engine.world.clock.settle();
    slow.resolve(undefined);
    await engine.untilAll("agent", "completed");
    expect(by).toEqual(["complete_task"]);
  });
});

describe("the policy", () => {
  test("is not in the way of an exit, whatever the mode and the list of tools", async () => {
    const agents = withExits("complete_task").map((one) => ({
      ...one,
      tools: ["Read"],
      permission_mode: "denyUnasked" as const,
    }));
    await using engine = await startLoop({ models: scriptedModel([complete]), agents });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ status: "completed", recovered: null });
    expect(factsOf(await engine.log(task.id), "tool.called")).toMatchObject([
      { decision: { verdict: "allow", rule: "an agent's own affair" } },
    ]);
  });

  test("is asked about a tool that only has the name of one", async () => {
    const named = fakeTool("submit_for_review", undefined, "exec");
    const model = scriptedModel([{ calls: [{ tool: "submit_for_review", input: {} }] }, { text: "ok" }]);
    await using engine = await startLoop({ models: model, tools: [named] });
    const task = await engine.run({ agent: "agent", askable: "nobody" });
    expect(task.outcome).toMatchObject({ answer: "ok" });
    expect(named.ran).toEqual([]);
    expect(factsOf(await engine.log(task.id), "tool.refused")).toHaveLength(1);
  });
});
