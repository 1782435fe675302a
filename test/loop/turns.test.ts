import { describe, expect, test } from "vitest";
import { unheardWords } from "../../src/domain/summaries.ts";
import { scriptedModel, testWorld } from "../../src/testing/index.ts";
import { factsOf, fakeTool, startLoop, typesOf } from "./kit.ts";

describe("a run of our own loop", () => {
  test("a text ends it, for an agent that declares nothing else", async () => {
    const model = scriptedModel([{ text: "It is in the cellar." }]);
    await using engine = await startLoop({ models: model });
    const task = await engine.run({ agent: "agent", prompt: "Where is it?" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "It is in the cellar.", recovered: null });
    expect(task.turns).toBe(1);
    expect(model.requests[0]?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(typesOf(await engine.log(task.id)).filter((type) => /^(turn|model|message|tool|budget)/.test(type))).toEqual(
      ["turn.started", "budget.reserved", "message.said", "model.replied", "budget.settled", "turn.ended"],
    );
    model.done();
  });

  test("tools of one turn run at the same time, and their results go back in the order of the calls", async () => {
    const gate = Promise.withResolvers<void>();
    const slow = fakeTool("Slow", async () => {
      await gate.promise;
      return { ok: true, text: "slow" };
    });
    const quick = fakeTool("Quick", () => {
      gate.resolve();
      return { ok: true, text: "quick" };
    });
    const model = scriptedModel([
      {
        text: "I look.",
        calls: [
          { tool: "Slow", input: {} },
          { tool: "Quick", input: { x: 1 } },
        ],
      },
      { text: "done" },
    ]);
    await using engine = await startLoop({ models: model, tools: [slow, quick] });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ answer: "done" });
    expect(model.requests[1]?.messages.slice(2)).toEqual([
      {
        role: "assistant",
        text: "I look.",
        calls: [expect.objectContaining({ tool: "Slow" }), expect.objectContaining({ tool: "Quick" })],
      },
      { role: "tool", call: "call-1-0", text: "slow", isError: false },
      { role: "tool", call: "call-1-1", text: "quick", isError: false },
    ]);
    expect(quick.ran).toEqual([{ x: 1 }]);
  });

  test("a call is read once before it is put to the policy, and once more where there are others to be put in order", async () => {
    let read = 0;
    const look = fakeTool("Look");
    const counted: typeof look = {
      ...look,
      plan: (input) => {
        read++;
        return look.plan(input);
      },
    };
    const call = { tool: "Look", input: {} };
    const model = scriptedModel([{ calls: [call] }, { calls: [call, call] }, { text: "done" }]);
    await using engine = await startLoop({ models: model, tools: [counted] });
    await engine.run({ agent: "agent" });
    expect(look.ran).toHaveLength(3);
    expect(read).toBe(5);
  });

  test("a call of a tool that is not there, or that cannot be read, is told to the model and costs a turn", async () => {
    const read = fakeTool("Read");
    const model = scriptedModel([
      {
        calls: [
          { tool: "Rede", input: {} },
          { tool: "Read", input: "{bad", invalid: "it is not JSON" },
        ],
      },
      { text: "done" },
    ]);
    await using engine = await startLoop({ models: model, tools: [read] });
    const task = await engine.run({ agent: "agent" });
    expect(task).toMatchObject({ status: "completed", turns: 2, calls: { made: 0, refused: 2 } });
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool");
    expect(results).toEqual([
      {
        role: "tool",
        call: "call-1-0",
        isError: true,
        text: expect.stringContaining('There is no tool "Rede" for this agent'),
      },
      { role: "tool", call: "call-1-1", isError: true, text: expect.stringContaining("it is not JSON") },
    ]);
    expect(read.ran).toEqual([]);
  });

  test("a result that is too long is cut, and kept whole where the agent can read it", async () => {
    const model = scriptedModel([{ calls: [{ tool: "Read", input: {} }] }, { text: "done" }]);
    const text = "x".repeat(100_000);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read", () => ({ ok: true, text }))] });
    const task = await engine.run({ agent: "agent" });
    const [result] = factsOf(await engine.log(task.id), "tool.returned");
    expect(result).toMatchObject({ ok: true, truncated: true });
    expect(result?.output.length).toBeLessThan(31_000);
    expect(result?.output).toContain("/kept/call_");
    expect(engine.kept).toEqual([text]);
  });

  test("what a person sends is given to the agent between turns", async () => {
    const model = scriptedModel([{ calls: [{ tool: "Read", input: {} }] }, { text: "done" }]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.start({ agent: "agent" });
    await engine.engine.command(task.id, { type: "send", text: "faster, please", by: "ada" });
    engine.work();
    await engine.until(task.id, "completed");
    const told = model.requests
      .flatMap(({ messages }) => messages)
      .filter(({ text }) => text.includes("faster, please"));
    expect(told.map(({ role }) => role)).toContain("user");
  });

  test("what is sent while the agent has its last words is said to have come too late", async () => {
    const asked = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    const model = scriptedModel([
      { calls: [{ tool: "Read", input: {} }] },
      () => {
        asked.resolve();
        return { text: "so far", after: sent.promise };
      },
    ]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.start({ agent: "agent", limits: { maxTurns: 1 } });
    await engine.engine.command(task.id, { type: "send", text: "in time", by: "ada" });
    engine.work();
    await asked.promise;
    await engine.engine.command(task.id, { type: "send", text: "and the\ncellar", by: "ada" });
    sent.resolve();
    expect(unheardWords(await engine.until(task.id, "completed"))).toEqual([
      "a message from ada came too late to be heard: and the cellar",
    ]);
  });

  test("what a tool throws is a result, not the end", async () => {
    const broken = fakeTool("Read", () => {
      throw new Error("the disk is on fire");
    });
    const model = scriptedModel([{ calls: [{ tool: "Read", input: {} }] }, { text: "I could not read it." }]);
    await using engine = await startLoop({ models: model, tools: [broken] });
    const task = await engine.run({ agent: "agent" });
    expect(task.status).toBe("completed");
    expect(factsOf(await engine.log(task.id), "tool.returned")).toMatchObject([
      { ok: false, output: "The tool failed: the disk is on fire" },
    ]);
  });
});

test("a task waits for a worker that has the key which its admitter had", async () => {
  const world = testWorld();
  const credentials = (sha256: string) => ({ available: async () => [{ name: "KEY", sha256 }] });
  const loop = { secretsFor: async () => ["KEY"] };
  const secretNames = ["KEY"];
  const models = scriptedModel([{ text: "done" }]);
  const admitter = await startLoop({ world, models, loop, secretNames, credentials: credentials("mine") });
  const task = await admitter.start({ agent: "agent" });
  expect(task.spec.needs).toEqual([{ name: "KEY", sha256: "mine" }]);
  await using stranger = await startLoop({ world, models, loop, secretNames, credentials: credentials("another's") });
  stranger.work();
  await world.clock.advance(60_000);
  expect(await stranger.show(task.id)).toMatchObject({ status: "pending" });
  admitter.work();
  await admitter.until(task.id, "completed");
  await admitter[Symbol.asyncDispose]();
});
