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
