// A reply that was cut off at its length, by an agent that ends by its text.
import { describe, expect, test } from "vitest";
import { NO_USAGE } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop } from "./kit.ts";

const cut = (text: string): ReplyScript => ({ text, stop: "length" });
const read: ReplyScript = { calls: [{ tool: "Read", input: {} }] };

async function outcomeOf(script: readonly ReplyScript[], more: { agents?: AgentWish[]; limits?: object } = {}) {
  const model = scriptedModel(script);
  const { agents, limits = {} } = more;
  const wish = { models: model, tools: [fakeTool("Read")], ...(agents === undefined ? {} : { agents }) };
  await using engine = await startLoop(wish);
  const task = await engine.run({ agent: "agent", limits });
  model.done();
  return { outcome: task.outcome, turns: task.turns, requests: model.requests };
}

describe("an answer that is cut off", () => {
  test("is one answer with what the agent goes on with, and nothing of it is lost", async () => {
    const { outcome, requests } = await outcomeOf([cut("It is in the"), { text: " cellar." }]);
    expect(outcome).toMatchObject({ answer: "It is in the cellar.", truncated: false, recovered: null });
    expect(requests[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", text: "It is in the" },
      { role: "user", text: expect.stringMatching(/cut off.*exactly where it broke off.*repeat nothing/) },
    ]);
  });

  test("several times is still one", async () => {
    const { outcome, turns } = await outcomeOf([cut("one, "), cut("two, "), cut("three"), { text: "." }]);
    expect(outcome).toMatchObject({ answer: "one, two, three.", recovered: null });
    expect(turns).toBe(4);
  });

  test("is whole where there was nothing left to say", async () => {
    expect((await outcomeOf([cut("All of it."), {}])).outcome).toMatchObject({ answer: "All of it.", recovered: null });
  });

  test("is no part of one that comes after calls", async () => {
    const { outcome } = await outcomeOf([cut("I shall look in"), read, { text: "It is in the cellar." }]);
    expect(outcome).toMatchObject({ answer: "It is in the cellar." });
  });

  test("is not joined with what came before it, or after a gate has sent it back", async () => {
    const model = scriptedModel([cut("tw"), { text: "o" }, cut("thr"), { text: "ee" }]);
    let asked = 0;
    const check = async () =>
      asked++ === 0
        ? { passed: false as const, reason: "gate_failed" as const, feedback: "more" }
        : { passed: true as const, independent: false };
    await using engine = await startLoop({ models: model, gates: () => [{ name: "taste", check }] });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ answer: "three" });
  });

  test("is held to its turns: last words are the answer, and say where they are cut", async () => {
    const { outcome } = await outcomeOf([cut("one, "), cut("in short")], { limits: { maxTurns: 1 } });
    expect(outcome).toMatchObject({ answer: "in short", truncated: true, recovered: { limit: "max_turns" } });
  });

  test("is held to its size as a whole", async () => {
    const agents = [{ name: "agent", description: "x", max_output_kb: 1 }];
    const { outcome } = await outcomeOf([cut("a".repeat(800)), { text: "b".repeat(800) }], { agents });
    expect(outcome).toMatchObject({ status: "completed", truncated: true });
    expect(outcome?.answer).toMatch(/^a{800}b/);
  });

  test("with exits is told to go on in smaller steps, and the exit has the answer", async () => {
    const agents: AgentWish[] = [{ name: "agent", description: "x", completion: { exits: ["complete_task"] } }];
    const complete: ReplyScript = { calls: [{ tool: "complete_task", input: { result: "the cellar" } }] };
    const { outcome, requests } = await outcomeOf([cut("It is in"), complete], { agents });
    expect(outcome).toMatchObject({ answer: "the cellar", recovered: null });
    expect(requests[1]?.messages.at(-1)?.text).toBe(
      "Your reply was cut off because it was too long. Go on, in smaller steps; write long texts to files, where you can.",
    );
  });
});

test.each([2, 3])("is one answer also after kill -9 while reply %i is waited for", async (killAt) => {
  const world = testWorld();
  const parts = [cut("one, "), cut("two, "), { text: "three." }];
  const dying = scriptedModel([...parts.slice(0, killAt - 1), { after: new Promise(() => undefined) }]);
  const first = await startLoop({ world, models: dying });
  const task = await first.start({ agent: "agent" });
  first.work();
  for (let round = 0; round < 500 && dying.requests.length < killAt; round++) await world.clock.settle();
  first.kill();
  await using second = await startLoop({ world, models: scriptedModel(parts.slice(killAt - 1)) });
  second.work();
  const done = await second.until(task.id, "completed");
  expect(done.outcome).toMatchObject({ answer: "one, two, three.", truncated: false, recovered: null });
  expect(done.attempts).toHaveLength(2);
});

test("one that came before a child's end is saved whole where no last words come", async () => {
  const found = Promise.withResolvers<void>();
  const input = { subagent_type: "child", prompt: "x", run_in_background: true };
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task"] },
    { name: "child", description: "digs" },
  ];
  const models = {
    lead: scriptedModel([
      { calls: [{ tool: "Task", input }] },
      cut("4"),
      { text: "2" },
      { error: { kind: "auth", message: "401" }, usage: NO_USAGE },
    ]),
    child: scriptedModel([{ after: found.promise, text: "found" }]),
  };
  await using engine = await startLoop({ models, agents, delegation: true });
  const { id } = await engine.start({ agent: "lead", limits: { maxTurns: 3 } });
  engine.work();
  await expect.poll(() => models.lead.requests.length).toBe(3);
  found.resolve();
  const { outcome } = await engine.until(id, "completed");
  expect(outcome).toMatchObject({ answer: "42", recovered: { limit: "max_turns" } });
  expect(factsOf(await engine.log(id), "turn.started").filter(({ isGrace }) => isGrace === true)).toHaveLength(1);
});
