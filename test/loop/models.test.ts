import { describe, expect, test } from "vitest";
import type { Obstacle } from "../../src/ports/index.ts";
import type { ModelFault, TaskSpec } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, someUsage } from "../../src/testing/index.ts";
import { factsOf, fakeTool, startLoop } from "./kit.ts";

const error = (kind: ModelFault, message: string, retryAfterMs?: number) => ({
  error: { kind, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
});

describe("a model that fails", () => {
  test("is tried again after a while, and honours what the provider says of it", async () => {
    const model = scriptedModel([
      error("rate_limited", "429", 7_000),
      error("unavailable", "503"),
      { text: "at last" },
    ]);
    await using engine = await startLoop({ models: model });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    await engine.until(task.id, "waiting"); // its slot is given back meanwhile
    await engine.world.clock.advance(6_999);
    expect(model.requests).toHaveLength(1);
    await engine.world.clock.advance(1);
    await engine.until(task.id, "waiting");
    expect(model.requests).toHaveLength(2);
    await engine.world.clock.advance(2_000);
    const done = await engine.until(task.id, "completed");
    expect(done).toMatchObject({ turns: 1, outcome: { answer: "at last" } });
    expect(factsOf(await engine.log(task.id), "model.failed")).toMatchObject([
      { kind: "rate_limited", retryInMs: 7_000 },
      { kind: "unavailable", retryInMs: 2_000 },
    ]);
  });

  test.each([
    ["rate_limited", "rate_limited", "llm_unreachable: gone"],
    ["unavailable", "backend_unavailable", "llm_unreachable: gone"],
  ] as const)("%s: when the tries are spent, the task fails with that", async (kind, reason, message) => {
    const model = scriptedModel(Array.from({ length: 5 }, () => error(kind, "gone")));
    await using engine = await startLoop({ models: model });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    await engine.until(task.id, "waiting");
    await engine.world.clock.advance(60_000);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason, message });
    model.done();
  });

  test.each([
    ["auth", "backend_unavailable"],
    ["other", "backend_error"],
    ["too-long", "backend_error"],
  ] as const)("%s: is not tried again", async (kind, reason) => {
    const model = scriptedModel([error(kind, "no")]);
    await using engine = await startLoop({ models: model });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ status: "failed", reason, message: "no" });
  });
});

describe("a model that cannot be had where the task is run, although it was to be had where it was admitted", () => {
  test("fails the task with why, and what to do; nothing is started, and it can be tried again", async () => {
    const model = scriptedModel([{ text: "at last" }]);
    let here: Obstacle | null = null;
    await using engine = await startLoop({ models: model, loop: { obstacle: async () => here } });
    const task = await engine.start({ agent: "agent" });
    here = { message: "OPENAI_BASE_URL is not the address of an endpoint", hint: "Write it as https://host/path." };
    engine.work();
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({
      reason: "backend_unavailable",
      message: "OPENAI_BASE_URL is not the address of an endpoint. Write it as https://host/path.",
    });
    expect(model.requests).toEqual([]);
    here = null;
    await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "at last" });
  });

  test("is asked whether its price is known, where money is limited", async () => {
    const asked: boolean[] = [];
    const obstacle = async (_spec: TaskSpec, isMoneyLimited: boolean) => (asked.push(isMoneyLimited), null);
    const model = scriptedModel([{ text: "done" }, { text: "done" }]);
    await using engine = await startLoop({ models: model, loop: { obstacle } });
    await engine.run({ agent: "agent" });
    await engine.run({ agent: "agent", limits: { budgetUsd: 0.1 } });
    expect(asked).toEqual([false, false, true, true]); // when it is admitted, and when it is run
  });
});

describe("money and tokens", () => {
  test("where money is limited, nothing is sent to a model whose price nobody knows", async () => {
    const model = scriptedModel([{ text: "done" }], { microUsdPerToken: null });
    await using engine = await startLoop({ models: model });
    const task = await engine.run({ agent: "agent", limits: { budgetUsd: 0.1 } });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "budget" });
    expect(model.requests).toEqual([]);
  });

  test("no call is sent that was not reserved, and what it cost is counted", async () => {
    const step = { calls: [{ tool: "Read", input: {} }], usage: someUsage({ inputTokens: 300, outputTokens: 50 }) };
    const model = scriptedModel([step, step, { text: "done", usage: someUsage() }]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.run({ agent: "agent", limits: { maxTokens: 100_000 } });
    expect(task.spent).toEqual({ microUsd: 350 + 350 + 120, tokens: 350 + 350 + 120 });
    expect(task.isCostKnown).toBe(true);
    const log = await engine.log(task.id);
    const order = log.map(({ event }) => event.type).filter((type) => /budget|replied/.test(type));
    expect(order[0]).toBe("budget.reserved"); // for the last words
    expect(order.slice(1, 4)).toEqual(["budget.reserved", "model.replied", "budget.settled"]);
    expect(factsOf(log, "budget.reserved")).toHaveLength(factsOf(log, "budget.settled").length);
  });

  test("a price that nobody knows is said to be unknown", async () => {
    const model = scriptedModel([{ text: "done" }], { microUsdPerToken: null });
    await using engine = await startLoop({ models: model });
    const task = await engine.run({ agent: "agent" });
    expect(task).toMatchObject({ isCostKnown: false, spent: { microUsd: 0, tokens: 120 } });
    expect(factsOf(await engine.log(task.id), "model.replied")).toMatchObject([{ microUsd: null }]);
  });

  test("usage that the provider does not tell counts as it was reserved", async () => {
    const model = scriptedModel([{ text: "done", usage: null }]);
    await using engine = await startLoop({ models: model });
    const task = await engine.run({ agent: "agent" });
    const [reserved] = factsOf(await engine.log(task.id), "budget.reserved");
    expect(task.spent.tokens).toBe(reserved?.amount.tokens);
    expect(task.spent.tokens).toBeGreaterThan(1_000);
  });

  test("a reply is asked for as short as the budget allows; then there are the last words, and the truth", async () => {
    const usage = someUsage({ inputTokens: 1_000, outputTokens: 500 });
    const step: ReplyScript = { calls: [{ tool: "Read", input: {} }], usage };
    const model = scriptedModel([step, step, { text: "so far", usage }]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.run({ agent: "agent", limits: { maxTokens: 12_000 } });
    expect(task.status).toBe("completed");
    expect(task.outcome).toMatchObject({ answer: "so far" });
    expect(task.spent.tokens).toBeLessThanOrEqual(12_000);
  });

  test("a budget that is used up ends in a grace turn on what was held back", async () => {
    const usage = someUsage({ inputTokens: 3_500, outputTokens: 500 });
    const model = scriptedModel([
      { calls: [{ tool: "Read", input: {} }], usage },
      { calls: [{ tool: "Read", input: {} }], usage },
      { text: "that is all", usage: someUsage() },
    ]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.run({ agent: "agent", limits: { maxTokens: 10_500 } });
    expect(task.outcome).toMatchObject({ status: "completed", recovered: { limit: "budget" }, answer: "that is all" });
    expect(task.spent.tokens).toBeLessThanOrEqual(10_500);
  });

  test("a larger budget never does less: what is held back is at most a quarter, and never in the way of the first turn", async () => {
    const turns: number[] = [];
    const budgets = [1_000, 2_000, 2_400, 3_000, 4_000, 7_000, 10_000, 12_000, 20_000, 100_000];
    for (const maxTokens of budgets) {
      const step: ReplyScript = ({ tools }) => (tools.length === 0 ? { text: "so far" } : reads);
      const model = scriptedModel([step, step, step, { text: "done" }]);
      await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
      const task = await engine.run({ agent: "agent", limits: { maxTokens } });
      expect(task.spent.tokens).toBeLessThanOrEqual(maxTokens);
      const log = await engine.log(task.id);
      turns.push(factsOf(log, "tool.returned").length);
      const [held] = factsOf(log, "budget.reserved").filter(({ use }) => use === "later");
      expect(held?.amount.tokens).toBe(Math.min(8_000, maxTokens / 4));
      const isLess = maxTokens / 4 < 8_000;
      const notes = factsOf(log, "note.taken").filter(({ text }) => text.includes("held back for last words"));
      expect(notes).toHaveLength(isLess ? 1 : 0);
    }
    expect(turns).toEqual(turns.toSorted((a, b) => a - b));
    expect(turns.at(0)).toBe(0);
    expect(turns.at(-1)).toBe(3);
  });

  const reads = { calls: [{ tool: "Read", input: {} }] };

  test("a budget that pays for one turn pays for one, though nothing can be held back then", async () => {
    const most = async (maxTokens: number) => {
      const model = scriptedModel([{ text: "done" }]);
      await using engine = await startLoop({ models: model });
      const task = await engine.run({ agent: "agent", limits: { maxTokens } });
      const [call] = factsOf(await engine.log(task.id), "budget.reserved").filter(({ use }) => use === "call");
      return { task, tokens: call?.amount.tokens ?? 0, requests: model.requests };
    };
    const needed = (await most(100_000)).tokens - 1_000 + 512; // with the shortest reply that is asked for
    const { task, requests } = await most(needed + 10);
    expect(task.outcome).toMatchObject({ answer: "done", recovered: null });
    expect(requests).toHaveLength(1);
  });
});

describe("a long history", () => {
  const long = "x".repeat(20_000);

  test("is summed up before the window is full: the task and the newest turns stay", async () => {
    const read = fakeTool("Read", () => ({ ok: true, text: long }));
    const step: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
    const script: ReplyScript[] = Array.from(
      { length: 5 },
      () => (request) => (isSummary(request) ? { text: "It read x." } : step),
    );
    const model = scriptedModel(
      [...script, (request) => (isSummary(request) ? { text: "It read x." } : { text: "done" }), { text: "done" }],
      {
        contextTokens: 30_000,
      },
    );
    await using engine = await startLoop({ models: model, tools: [read] });
    const task = await engine.run({ agent: "agent", prompt: "Find the door." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
    const compacted = factsOf(await engine.log(task.id), "history.compacted");
    expect(compacted.length).toBeGreaterThan(0);
    expect(compacted[0]).toMatchObject({ summary: "It read x." });
    const log = await engine.log(task.id);
    const settled = factsOf(log, "budget.settled").map(({ spent }) => spent.tokens);
    expect(factsOf(log, "budget.reserved")).toHaveLength(model.requests.length); // a summary is a call like any other
    expect(settled).toEqual(model.requests.map(() => 120));
    expect(task.spent.tokens).toBe(120 * model.requests.length);
    const last = model.requests.at(-1)?.messages ?? [];
    expect(last[1]?.text).toContain("Find the door.");
    expect(last[2]?.text).toContain("It read x.");
    for (const request of model.requests) expect(sizeOf(request.messages)).toBeLessThan(30_000 * 3);
  });

  test("that the provider finds too long is summed up, and the call made again", async () => {
    const step: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
    const model = scriptedModel([
      step,
      step,
      step,
      error("too-long", "prompt is too long"),
      (request) => (isSummary(request) ? { text: "summed up" } : { text: "no summary was asked for" }),
      { text: "done" },
    ]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ answer: "done" });
  });

  const isSummary = ({ messages }: { messages: readonly { role: string; text: string }[] }) =>
    messages[0]?.text.startsWith("You sum up") === true;
  const sizeOf = (messages: readonly { text: string }[]) => messages.reduce((sum, { text }) => sum + text.length, 0);
});
