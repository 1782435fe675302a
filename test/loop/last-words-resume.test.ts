// A worker dies around the end of an agent: what it had run into is not forgotten.
import { describe, expect, test } from "vitest";
import { type ReplyScript, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, type FakeTool, startLoop, toolTexts } from "./kit.ts";

const never = new Promise(() => undefined);
const read: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
const typed: AgentWish = { name: "agent", description: "counts", output: { schema: { type: "integer" } } };
const plain: AgentWish = { name: "agent", description: "says" };
const complete: ReplyScript = { calls: [{ tool: "complete_task", input: { result: 3 } }] };

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
