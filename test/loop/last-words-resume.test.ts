// A worker dies around the end of an agent: what it had run into is not forgotten.
import { describe, expect, test } from "vitest";
import type { Store } from "../../src/ports/index.ts";
import { type ReplyScript, scriptedModel, someUsage, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, type FakeTool, startLoop, toolTexts } from "./kit.ts";

const never = new Promise(() => undefined);
const read: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
const typed: AgentWish = { name: "agent", description: "counts", output: { schema: { type: "integer" } } };
const plain: AgentWish = { name: "agent", description: "says" };
const complete: ReplyScript = { calls: [{ tool: "complete_task", input: { result: 3 } }] };

const appending = (store: Store, append: Store["append"]): Store =>
  new Proxy(store, {
    get(target, name) {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });

async function dieAndGoOn(agent: AgentWish, first: readonly ReplyScript[], second: readonly ReplyScript[], at: string) {
  const world = testWorld();
  const options = { world, agents: [agent], tools: [fakeTool("Read")] };
  const store = new Proxy(world.store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      if (key !== "append") return member.bind(target);
      return async (...args: [unknown, readonly { type: string }[]]) => {
        const done: unknown = await Reflect.apply(member, target, args);
        // Written, and nothing after it.
        if (args[1].some(({ type }) => type === at) && isLastCall()) return never;
        return done;
      };
    },
  });
  const dying = scriptedModel(first);
  const isLastCall = () => dying.requests.length === first.length;
  const engine = await startLoop({ ...options, world: { ...world, store }, models: dying });
  const task = await engine.start({ agent: "agent", limits: { maxTurns: 1 } });
  engine.work();
  for (let round = 0; round < 100; round++) await world.clock.settle();
  engine.kill();
  const model = scriptedModel(second);
  await using after = await startLoop({ ...options, models: model });
  after.work();
  for (let round = 0; round < 2_000 && (await after.show(task.id)).outcome === null; round++)
    await world.clock.settle();
  return { done: await after.show(task.id), model, log: await after.log(task.id) };
}

describe("kill -9 in the grace turn", () => {
  test("while the model is asked: it is asked once more, for its last words and nothing else", async () => {
    const { done, model } = await dieAndGoOn(plain, [read, { after: never }], [{ text: "as far as I came" }], "none");
    expect(done.outcome).toMatchObject({ answer: "as far as I came", recovered: { limit: "max_turns" } });
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.tools).toEqual([]);
    expect(model.requests[0]?.messages.at(-1)?.text).toContain("This is your last reply");
  });

  test.each(["model.replied", "tool.called", "tool.returned", "turn.ended"])(
    "after %s: what saved it is still seen, and nobody is asked again",
    async (at) => {
      const { done, model } = await dieAndGoOn(typed, [read, complete], [], at);
      expect(done.outcome).toMatchObject({ status: "completed", output: 3, recovered: { limit: "max_turns" } });
      expect(model.requests).toEqual([]);
    },
  );

  test("after a text that was the answer", async () => {
    const { done } = await dieAndGoOn(plain, [read, { text: "so far" }], [], "turn.ended");
    expect(done.outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
  });
});

describe("kill -9 under a budget", () => {
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task", "Read"] },
    { name: "first", description: "works", tools: ["Read"] },
    { name: "second", description: "works", tools: ["Read"] },
  ];
  const usage = { outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  const parts = ["first", "second"].map((agent) => ({ tool: "Task", input: { subagent_type: agent, prompt: "go" } }));
  /** As much as it may, until it is asked for its last words. */
  const greedy: ReplyScript = ({ tools }) =>
    tools.length === 0
      ? { text: "so far", usage: { ...usage, inputTokens: 500 } }
      : { calls: [{ tool: "Read", input: {} }], usage: { ...usage, inputTokens: 4_000 } };

  test("what was held back for last words is there after it, whoever goes on first", async () => {
    const world = testWorld();
    const options = { world, agents, tools: [fakeTool("Read")], delegation: true };
    const hanging = () => scriptedModel([greedy, { after: never }]);
    const dying = await startLoop({
      ...options,
      models: { lead: scriptedModel([{ calls: parts }]), first: hanging(), second: hanging() },
    });
    const task = await dying.start({ agent: "lead", limits: { maxTokens: 60_000 } });
    dying.work();
    for (let round = 0; round < 200; round++) await world.clock.settle();
    dying.kill();

    const going = () => scriptedModel(Array.from({ length: 40 }, () => greedy));
    await using after = await startLoop({
      ...options,
      settings: { maxConcurrent: 1 },
      models: { lead: scriptedModel([{ text: "both are done" }]), first: going(), second: going() },
    });
    after.work();
    for (let round = 0; round < 3_000 && (await after.show(task.id)).outcome === null; round++)
      await world.clock.settle();
    const ended = await after.children(task);
    expect(ended.map(({ outcome }) => outcome)).toMatchObject([
      { answer: "so far", recovered: { limit: "budget" } },
      { answer: "so far", recovered: { limit: "budget" } },
    ]);
    expect((await after.show(task.id)).outcome).toMatchObject({ answer: "both are done" });
    expect(ended.every(({ attempts }) => attempts.length === 2)).toBe(true);
  });
});

test("what was held back for last words stays with a task that is tried again", async () => {
  const retry = { attempts: 2, on: ["backend_error" as const] };
  const broken: ReplyScript = { error: { kind: "other", message: "no" } };
  const model = scriptedModel([read, broken, { text: "done" }]);
  await using engine = await startLoop({ models: model, agents: [{ ...plain, retry }], tools: [fakeTool("Read")] });
  const done = await engine.run({ agent: "agent", limits: { maxTokens: 200_000 } });
  expect(done).toMatchObject({ outcome: { answer: "done" }, attempts: [{}, {}] });
  const types = (await engine.log(done.id)).map(({ event }) => ("use" in event ? event.use : event.type));
  expect(types.filter((type) => type === "later")).toHaveLength(1);
});

test("what was held back is free only with the call for last words, not while history is made to fit", async () => {
  const long = fakeTool("Read", async () => ({ ok: true, text: "word ".repeat(3_600) }));
  const model = scriptedModel([read, read, { text: "so far" }], { contextTokens: 12_000, maxOutputTokens: 2_000 });
  await using engine = await startLoop({ models: model, agents: [plain], tools: [long] });
  const done = await engine.run({ agent: "agent", limits: { maxTurns: 2, maxTokens: 200_000 } });
  expect(done.outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
  const events = (await engine.log(done.id)).map(({ event }) => event);
  const kept = events.find((event) => event.type === "budget.reserved" && event.use === "later");
  const id = kept?.type === "budget.reserved" ? kept.reservation : undefined;
  const free = events.findIndex((event) => event.type === "budget.settled" && event.reservation === id);
  expect(events.map(({ type }) => type)).toContain("history.compacted");
  expect(events.slice(free + 1, free + 3).map(({ type }) => type)).toEqual(["turn.started", "budget.reserved"]);
});

test("what was held back is free only with a call that fits: nobody else takes it between two tries", async () => {
  const world = testWorld();
  const asked = new Set<string>();
  let isTaken = false;
  // As soon as the first try for last words does not fit, the lead takes all that is free.
  const append: Store["append"] = async (hold, entries, before) => {
    const isLead = asked.size === 0 || asked.has(hold.task);
    if (isLead) asked.add(hold.task);
    const done = await world.store.append(hold, entries, before);
    const isShort = entries.some((entry) => entry.type === "reserve" && entry.begins?.isGrace === true);
    if (!isLead && isShort && done.reserved.some(({ kind }) => kind === "short") && !isTaken) {
      isTaken = true;
      const [lead] = (await world.store.tasks({ limit: 9 })).filter(({ id }) => asked.has(id));
      const all = { type: "reserve", reservation: world.mint.id("rsrv"), amount: "whole", use: "whole" } as const;
      if (lead !== undefined) await world.store.append({ ...hold, task: lead.id }, [all]);
    }
    return done;
  };
  const all = someUsage({ outputTokens: 6_200 });
  const options = { maxOutputTokens: 4_000 };
  const models = {
    lead: scriptedModel([{ calls: [{ tool: "Task", input: { subagent_type: "agent", prompt: "x" } }] }], options),
    agent: scriptedModel([{ ...read, usage: all }, { text: "so far" }], options),
  };
  const lead: AgentWish = { name: "lead", description: "leads", tools: ["Task"] };
  await using engine = await startLoop({
    world: { ...world, store: appending(world.store, append) },
    models,
    agents: [lead, plain],
    delegation: true,
    tools: [fakeTool("Read")],
  });
  const done = await engine.run({ agent: "lead", limits: { maxTokens: 12_000 } });
  const [child] = await engine.children(done);
  expect(isTaken).toBe(true);
  expect(child?.outcome).toMatchObject({ answer: "so far", recovered: { limit: "budget" } });
});

test("what was held back is there for the last words of whoever goes on", async () => {
  const world = testWorld();
  const unwritten: unknown[] = [];
  // It dies before its call for last words is written.
  const append: Store["append"] = async (hold, entries, before) => {
    const isLast = entries.some((entry) => entry.type === "reserve" && entry.begins?.isGrace === true);
    if (!isLast) return world.store.append(hold, entries, before);
    unwritten.push(...entries);
    return new Promise(() => undefined);
  };
  const tools = [fakeTool("Read")];
  const options = { maxOutputTokens: 4_000 };
  const first = scriptedModel([{ ...read, usage: someUsage({ outputTokens: 8_700 }) }], options);
  const dying = await startLoop({ world: { ...world, store: appending(world.store, append) }, models: first, tools });
  const { id } = await dying.start({ agent: "agent", limits: { maxTokens: 12_000, maxTurns: 1 } });
  dying.work();
  for (let round = 0; round < 500 && unwritten.length === 0; round++) await world.clock.settle();
  expect(unwritten).not.toEqual([]);
  dying.kill();

  await using after = await startLoop({ world, models: scriptedModel([{ text: "so far" }], options), tools });
  after.work();
  for (let round = 0; round < 3_000 && (await after.show(id)).outcome === null; round++) await world.clock.settle();
  expect((await after.show(id)).outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
});

test("last words, and a summary, are no longer than the model can write", async () => {
  const long = fakeTool("Read", async () => ({ ok: true, text: "word ".repeat(2_000) }));
  const model = scriptedModel([read, read, read, { text: "in short" }, read, { text: "so far" }], {
    contextTokens: 12_000,
    maxOutputTokens: 1_500,
  });
  await using engine = await startLoop({ models: model, agents: [plain], tools: [long] });
  const done = await engine.run({ agent: "agent", limits: { maxTurns: 4 } });
  expect(done.outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
  expect((await engine.log(done.id)).map(({ event }) => event.type)).toContain("history.compacted");
  expect(model.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual(Array(6).fill(1_500));
});

describe("kill -9 after a reply", () => {
  test("that was cut off: it is not taken for the answer", async () => {
    const cut: ReplyScript = { text: "It is in the", stop: "length" };
    const { done } = await dieAndGoOn(plain, [cut], [{ text: "cellar" }], "model.replied");
    expect(done.outcome).toMatchObject({ answer: "cellar", recovered: { limit: "max_turns" } });
  });

  test("that was a refusal: it stays one", async () => {
    const no: ReplyScript = { text: "I will not.", stop: "refused" };
    const { done, model } = await dieAndGoOn(plain, [no], [], "model.replied");
    expect(done.outcome).toMatchObject({ status: "failed", reason: "refused", message: "I will not." });
    expect(model.requests).toEqual([]);
  });

  test("that was the answer: nobody is asked again", async () => {
    const { done, model } = await dieAndGoOn(plain, [{ text: "the cellar" }], [], "model.replied");
    expect(done.outcome).toMatchObject({ answer: "the cellar", recovered: null });
    expect(model.requests).toEqual([]);
  });
});

describe("in the grace turn", () => {
  const oneTurn = async (reply: ReplyScript, tool: FakeTool = fakeTool("Read"), agent = typed) => {
    const model = scriptedModel([read, reply]);
    await using engine = await startLoop({ models: model, agents: [agent], tools: [tool] });
    const done = await engine.run({ agent: "agent", limits: { maxTurns: 1 } });
    return { done, log: await engine.log(done.id) };
  };

  test("no tool runs but what ends the task, whatever the model calls", async () => {
    const tool = fakeTool("Read");
    const { done, log } = await oneTurn(
      {
        calls: [
          { tool: "Read", input: {} },
          { tool: "complete_task", input: { result: 3 } },
        ],
      },
      tool,
    );
    expect(tool.ran).toHaveLength(1);
    expect(factsOf(log, "tool.refused")).toMatchObject([{ tool: "Read" }]);
    expect(done.outcome).toMatchObject({ output: 3, recovered: { limit: "max_turns" } });
  });

  test("a gate that is not content is the end: last words are the last", async () => {
    const model = scriptedModel([read, { text: "so far" }]);
    const gates = [
      { name: "strict", check: async () => ({ passed: false, reason: "gate_failed", feedback: "no" }) as const },
    ];
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")], gates });
    const done = await engine.run({ agent: "agent", limits: { maxTurns: 1 } });
    expect(done.outcome).toMatchObject({ status: "failed", reason: "gate_failed", message: "no" });
    expect(toolTexts(model.requests[1])).toEqual(["ok"]);
  });
});
