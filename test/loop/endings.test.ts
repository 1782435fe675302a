import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../src/testing/index.ts";
import { factsOf, fakeTool, startLoop } from "./kit.ts";

const output = {
  schema: { type: "object", required: ["n"], properties: { n: { type: "integer" } }, additionalProperties: false },
};
const typed = [{ name: "agent", description: "counts", output }];
const complete = (result: unknown) => ({ calls: [{ tool: "complete_task", input: { result } as never }] });

describe("complete_task", () => {
  test("ends an agent with an output, checked against its schema", async () => {
    const model = scriptedModel([complete({ n: 3 })]);
    await using engine = await startLoop({ models: model, agents: typed });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ status: "completed", output: { n: 3 }, evidence: "checked", recovered: null });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(["complete_task"]);
  });

  test("goes back to the model when it does not fit, and costs a turn", async () => {
    const model = scriptedModel([complete({ n: "three" }), complete(undefined), complete({ n: 3 })]);
    await using engine = await startLoop({ models: model, agents: typed });
    const task = await engine.run({ agent: "agent" });
    expect(task).toMatchObject({ status: "completed", turns: 3 });
    const told = model.requests.slice(1).map(({ messages }) => messages.at(-1)?.text);
    expect(told).toEqual([
      "Output validation failed: output.n must be integer",
      'Missing required "result" argument. You must provide it when calling complete_task.',
    ]);
  });

  test("is called by its declared name, and the first valid call wins", async () => {
    const named = [{ name: "agent", description: "counts", output: { ...output, name: "report" } }];
    const model = scriptedModel([
      {
        calls: [
          { tool: "complete_task", input: { report: { n: "no" } } },
          { tool: "complete_task", input: { report: { n: 1 } } },
          { tool: "complete_task", input: { report: { n: 2 } } },
        ],
      },
    ]);
    await using engine = await startLoop({ models: model, agents: named });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ output: { n: 1 } });
  });

  test("other tools of the same turn still run", async () => {
    const read = fakeTool("Read");
    const model = scriptedModel([{ calls: [...complete({ n: 1 }).calls, { tool: "Read", input: {} }] }]);
    await using engine = await startLoop({ models: model, agents: typed, tools: [read] });
    expect((await engine.run({ agent: "agent" })).status).toBe("completed");
    expect(read.ran).toHaveLength(1);
  });

  test("is what an agent from Gemini CLI ends by, with a text", async () => {
    const agents = [{ name: "agent", description: "x", source: { from: "gemini", file: "a.md" } }];
    await using engine = await startLoop({ models: scriptedModel([complete("found it")]), agents });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ answer: "found it", output: null });
  });

  test("an empty result is not one", async () => {
    const agents = [{ name: "agent", description: "x", source: { from: "gemini", file: "a.md" } }];
    const model = scriptedModel([complete("  "), complete("yes")]);
    await using engine = await startLoop({ models: model, agents });
    expect(await engine.run({ agent: "agent" })).toMatchObject({ turns: 2, outcome: { answer: "yes" } });
  });
});

describe("the grace turn", () => {
  test("saves an agent that stops without complete_task, and that is seen", async () => {
    const model = scriptedModel([{ text: "I think it is 3." }, complete({ n: 3 })]);
    await using engine = await startLoop({ models: model, agents: typed });
    const { outcome } = await engine.run({ agent: "agent", prompt: "Count the doors." });
    expect(outcome).toMatchObject({ status: "completed", output: { n: 3 }, recovered: { limit: "no_completion" } });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain("Your task was: Count the doors.");
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(["complete_task"]);
  });

  test("saves one that has used its turns, with no tools left", async () => {
    const step = { calls: [{ tool: "Read", input: {} }] };
    const model = scriptedModel([step, step, { text: "as far as I came" }]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.run({ agent: "agent", limits: { maxTurns: 2 } });
    expect(task.outcome).toMatchObject({ answer: "as far as I came", recovered: { limit: "max_turns" } });
    expect(model.requests[2]?.tools).toEqual([]);
  });

  test("comes once, and what it does not save fails with the limit", async () => {
    const model = scriptedModel([{ text: "no" }, { text: "still no" }]);
    await using engine = await startLoop({ models: model, agents: typed });
    const { outcome } = await engine.run({ agent: "agent" });
    expect(outcome).toMatchObject({ status: "failed", reason: "no_completion", answer: "still no" });
  });

  test("comes when the time is up, while the model is still speaking", async () => {
    const model = scriptedModel([{ after: new Promise(() => undefined) }, { text: "so far" }]);
    await using engine = await startLoop({ models: model });
    const task = await engine.start({ agent: "agent", limits: { timeoutMs: 1_000 } });
    engine.work();
    await engine.until(task.id, "running");
    await engine.world.clock.advance(1_000);
    const done = await engine.until(task.id, "completed");
    expect(done.outcome).toMatchObject({ answer: "so far", recovered: { limit: "timeout" } });
  });

  test("has a time limit of its own, whatever the limit was that led to it", async () => {
    const model = scriptedModel([{ calls: [{ tool: "Read", input: {} }] }, { after: new Promise(() => undefined) }]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.start({ agent: "agent", limits: { maxTurns: 1, timeoutMs: 3_600_000 } });
    engine.work();
    await engine.until(task.id, "running");
    for (let round = 0; round < 50 && model.requests.length < 2; round++) await engine.world.clock.settle();
    await engine.world.clock.advance(60_000);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason: "max_turns" });
  });

  test("is over in time, however long it is told to wait", async () => {
    const model = scriptedModel([
      { calls: [{ tool: "Read", input: {} }] },
      { error: { kind: "rate_limited", message: "429", retryAfterMs: 75_000 } },
    ]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.start({ agent: "agent", limits: { maxTurns: 1, timeoutMs: 3_600_000 } });
    engine.work();
    await engine.until(task.id, "waiting");
    await engine.world.clock.advance(60_000);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason: "max_turns" });
  });

  test("has a time limit of its own", async () => {
    const never = new Promise(() => undefined);
    await using engine = await startLoop({ models: scriptedModel([{ after: never }, { after: never }]) });
    const task = await engine.start({ agent: "agent", limits: { timeoutMs: 1_000 } });
    engine.work();
    await engine.until(task.id, "running");
    await engine.world.clock.advance(1_000);
    await engine.world.clock.settle();
    await engine.world.clock.advance(60_000);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason: "timeout" });
  });
});

describe("exits", () => {
  const exits = (...names: string[]) => [
    { name: "agent", description: "x", completion: { exits: names as ["complete_task"], nudges: 2 } },
  ];

  test("an agent that stops otherwise is told to go on, so often, and then has its grace turn", async () => {
    const model = scriptedModel([{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }]);
    await using engine = await startLoop({ models: model, agents: exits("complete_task") });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "no_completion" });
    const told = factsOf(await engine.log(task.id), "instruction.added").map(({ because }) => because);
    expect(told).toEqual(["task", "nudge", "nudge", "grace"]);
  });

  test("message_user waits for the reply, and goes on with it", async () => {
    const model = scriptedModel([
      { calls: [{ tool: "message_user", input: { message: "Which door?" } }] },
      { calls: [{ tool: "complete_task", input: { result: "the red one" } }] },
    ]);
    await using engine = await startLoop({ models: model, agents: exits("message_user", "complete_task") });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    const waiting = await engine.until(task.id, "waiting");
    const approval = waiting.approvals[0];
    expect(approval).toMatchObject({ kind: "question", body: "Which door?", state: "open" });
    if (approval === undefined) return;
    const answer = { verdict: "text", text: "the red one" } as const;
    await engine.engine.command(task.id, { type: "answer", approval: approval.id, answer, by: "ada" });
    const done = await engine.until(task.id, "completed");
    expect(done.outcome).toMatchObject({ answer: "the red one", recovered: null });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", text: "the red one" });
  });

  test("ask_for_help with nobody there goes on alone", async () => {
    const model = scriptedModel([
      { calls: [{ tool: "ask_for_help", input: { question: "How?" } }] },
      { calls: [{ tool: "complete_task", input: { result: "I guessed" } }] },
    ]);
    await using engine = await startLoop({ models: model, agents: exits("ask_for_help", "complete_task") });
    const task = await engine.run({ agent: "agent", askable: "nobody" });
    expect(task.outcome).toMatchObject({ answer: "I guessed" });
    expect(model.requests[1]?.messages.at(-1)?.text).toContain("No help: nobody can be asked");
  });
});

describe("what is no answer", () => {
  test("an empty reply is asked for again once, then the task fails", async () => {
    const model = scriptedModel([{}, {}, {}]);
    await using engine = await startLoop({ models: model });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ status: "failed", reason: "no_completion" });
  });

  test("a refusal of the model is one", async () => {
    await using engine = await startLoop({ models: scriptedModel([{ text: "I cannot.", stop: "refused" }]) });
    const { outcome } = await engine.run({ agent: "agent" });
    expect(outcome).toMatchObject({ status: "failed", reason: "refused", message: "I cannot." });
  });
});

test("a gate's complaint goes back to the agent, which goes on in its conversation", async () => {
  const model = scriptedModel([{ text: "two" }, { text: "three" }]);
  await using engine = await startLoop({
    models: model,
    gates: [
      {
        name: "taste",
        check: async (_attempt, { answer }) =>
          answer === "three"
            ? { passed: true, independent: false }
            : { passed: false, reason: "gate_failed", feedback: "say three" },
      },
    ],
  });
  const task = await engine.run({ agent: "agent" });
  expect(task.outcome).toMatchObject({ answer: "three", evidence: "checked" });
  expect(model.requests[1]?.messages.slice(2)).toEqual([
    { role: "assistant", text: "two", calls: [] },
    { role: "user", text: "say three" },
  ]);
});

test("what an attempt had opened for its tools is let go when it is stopped, and its last words are free again", async () => {
  let disposed = 0;
  const model = scriptedModel([{ after: new Promise(() => undefined) }]);
  await using engine = await startLoop({ models: model, onDispose: () => void disposed++ });
  const task = await engine.start({ agent: "agent", limits: { maxTokens: 100_000 } });
  engine.work();
  await engine.until(task.id, "running");
  await engine.world.clock.settle();
  expect(model.requests).toHaveLength(1);
  await engine.engine.stop(task.id, "ada");
  await engine.until(task.id, "cancelled");
  expect(disposed).toBe(1);
  const log = await engine.log(task.id);
  const kept = factsOf(log, "budget.reserved").find(({ use }) => use === "later")?.reservation;
  const settled = factsOf(log, "budget.settled").filter(({ reservation }) => reservation === kept);
  expect(settled.map(({ spent }) => spent.tokens)).toEqual([0]);
});
