// What a task has cost, and how many turns it took: what is known, what is only a bound, and what nobody knows.
import { describe, expect, test } from "vitest";
import { costWords, settledWords, spentWords, tokenWords, turnWords } from "../../src/domain/cost-words.ts";
import { NO_USAGE } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, someUsage, testWorld } from "../../src/testing/index.ts";
import { factsOf, fakeTool, startLoop } from "./kit.ts";

const never = new Promise(() => undefined);
const cut: ReplyScript = { error: { kind: "other", message: "the reply broke off" } };
const read: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
const UNKNOWN = { microUsdPerToken: null };

/** A worker that dies while the model is asked for the last of these, and what is known when that was seen. */
async function killed(model: ReturnType<typeof scriptedModel>, replies: number, limits = {}) {
  const world = testWorld();
  const tools = [fakeTool("Read")];
  const first = await startLoop({ world, models: model, tools });
  const { id } = await first.start({ agent: "agent", limits });
  first.work();
  for (let round = 0; round < 500 && model.requests.length < replies; round++) await world.clock.settle();
  first.kill();
  const goOn = async (then: readonly ReplyScript[]) => {
    await using second = await startLoop({ world, models: scriptedModel(then), tools });
    second.work();
    return await second.until(id, "completed");
  };
  return { world, id, goOn };
}

describe("a call of which nobody says what it used", () => {
  test("that was cut off counts as it was reserved, and is said to be a bound", async () => {
    const again = { error: { kind: "unavailable", message: "cut" } } as const;
    const model = scriptedModel([again, { text: "done" }]);
    await using engine = await startLoop({ models: model });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    await engine.until(task.id, "waiting");
    await engine.world.clock.advance(1_000);
    const done = await engine.until(task.id, "completed");
    const log = await engine.log(task.id);
    const [bound, known] = factsOf(log, "budget.settled");
    expect(bound).toMatchObject({ isBound: true, spent: bound?.reserved });
    expect(known?.spent).toEqual({ microUsd: 120, tokens: 120 });
    expect(done.usage).toEqual(someUsage());
    expect(known).not.toHaveProperty("isBound");
    expect(done.bound).toEqual(bound?.spent);
    expect(done.spent.tokens).toBe(done.bound.tokens + 120);
    expect(done.isCostKnown).toBe(true);
    expect(costWords(done)).toMatch(/^at most \$0\.\d+$/);
    expect(tokenWords(done)).toBe(`at most ${done.spent.tokens}`);
    expect(settledWords(bound ?? missing())).toMatch(/^spent at most \d+ tokens, \$0\.\d+$/);
    expect(settledWords(known ?? missing())).toBe("spent 120 tokens, $0.0001");
  });

  test("because its worker was killed, alike; the call that is made again is known", async () => {
    const { goOn } = await killed(scriptedModel([{ after: never }]), 1);
    const done = await goOn([{ text: "done" }]);
    expect(done).toMatchObject({ turns: 1, isCostKnown: true });
    expect(done.bound.tokens).toBeGreaterThan(1_000);
    expect(done.spent).toEqual({ microUsd: done.bound.microUsd + 120, tokens: done.bound.tokens + 120 });
  });

  test("although the reply came: its event has the bound, and it is no unknown price", async () => {
    const model = scriptedModel([{ text: "done", usage: null }]);
    await using engine = await startLoop({ models: model });
    const task = await engine.run({ agent: "agent" });
    const log = await engine.log(task.id);
    const [reserved] = factsOf(log, "budget.reserved");
    expect(factsOf(log, "model.replied")).toMatchObject([{ usage: null, microUsd: reserved?.amount.microUsd }]);
    expect(task).toMatchObject({ isCostKnown: true, spent: reserved?.amount, bound: reserved?.amount });
    expect(costWords(task)).toMatch(/^at most \$0\.\d+$/);
  });
});

describe("a price that nobody knows", () => {
  test("is unknown after calls that were cut off, too", async () => {
    await using engine = await startLoop({ models: scriptedModel([cut], UNKNOWN) });
    const task = await engine.run({ agent: "agent" });
    expect(task).toMatchObject({ status: "failed", isCostKnown: false, spent: { microUsd: 0 } });
    expect(costWords(task)).toBe("unknown");
    expect(spentWords(task)).toBe(`at most ${task.spent.tokens} tokens, unknown`);
    const [settled] = factsOf(await engine.log(task.id), "budget.settled");
    expect(settledWords(settled ?? missing())).toBe(`spent at most ${task.spent.tokens} tokens, price unknown`);
  });

  test("is unknown after kill -9, before anything goes on", async () => {
    const { world, id } = await killed(scriptedModel([{ after: never }], UNKNOWN), 1);
    const [worker] = await world.store.holders();
    if (worker === undefined) throw new Error("nobody holds it");
    await world.store.interrupt(worker.id, "it died");
    const task = await world.store.task(id);
    expect(task).toMatchObject({ status: "interrupted", isCostKnown: false });
    expect(task && costWords(task)).toBe("unknown");
  });

  test("does not matter where the call was refused, and so cost nothing", async () => {
    const refused = { error: { kind: "auth", message: "401" }, usage: NO_USAGE } as const;
    await using engine = await startLoop({ models: scriptedModel([refused], UNKNOWN) });
    const task = await engine.run({ agent: "agent" });
    expect(task).toMatchObject({ isCostKnown: true, spent: { microUsd: 0, tokens: 0 }, turns: 1 });
    expect(costWords(task)).toBe("-");
  });
});

describe("turns", () => {
  test("last words are none of those that a limit counts", async () => {
    const model = scriptedModel([read, { text: "so far" }]);
    await using engine = await startLoop({ models: model, tools: [fakeTool("Read")] });
    const task = await engine.run({ agent: "agent", limits: { maxTurns: 1 } });
    expect(task).toMatchObject({ turns: 1, graceTurns: 1, outcome: { answer: "so far" } });
    expect(turnWords(task)).toBe("1 of at most 1, and last words");
    expect(factsOf(await engine.log(task.id), "turn.started")).toEqual([
      { type: "turn.started", turn: 1 },
      { type: "turn.started", turn: 2, isGrace: true },
    ]);
  });

  test("an agent that sent nothing took none", async () => {
    const model = scriptedModel([]);
    await using engine = await startLoop({ models: model });
    const task = await engine.run({ agent: "agent", limits: { maxTokens: 100 } });
    expect(task).toMatchObject({ status: "failed", turns: 0, graceTurns: 0, outcome: { reason: "budget" } });
    expect(model.requests).toEqual([]);
    expect(turnWords(task)).toMatch(/^0 of at most \d+$/);
  });

  test("last words that a worker died in are one turn, and the next try has all turns that were left", async () => {
    const { goOn, world, id } = await killed(scriptedModel([read, { after: never }]), 2, { maxTurns: 1 });
    const saved = await goOn([{ text: "so far" }]);
    expect(saved).toMatchObject({ turns: 1, graceTurns: 1, outcome: { recovered: { limit: "max_turns" } } });
    expect(
      factsOf(await world.store.read({ stream: `task:${id}`, after: 0, limit: 500 }), "turn.started"),
    ).toHaveLength(2);
  });

  test("what was taken for last words is not missing when the agent goes on", async () => {
    const tools = [fakeTool("Read")];
    const model = scriptedModel([read, { after: never }, cut, { text: "done" }]);
    await using engine = await startLoop({ models: model, tools });
    const task = await engine.start({ agent: "agent", limits: { maxTurns: 3, timeoutMs: 1_000 } });
    engine.work();
    for (let round = 0; round < 100; round++) await engine.world.clock.settle();
    await engine.world.clock.advance(1_000);
    await engine.until(task.id, "failed");
    await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    const done = await engine.until(task.id, "completed");
    expect(done).toMatchObject({ outcome: { answer: "done", recovered: null } });
    expect(turnWords(done)).toBe("3 of at most 3, and last words");
  });
});

describe("a summary of a long history", () => {
  test("is in all sums, and said to be one", async () => {
    const usage = someUsage({ cacheReadTokens: 40, cacheWriteTokens: 30, reasoningTokens: 5 });
    const big = fakeTool("Read", () => ({ ok: true, text: "x".repeat(30_000) }));
    const step: ReplyScript = ({ isAside }) =>
      isAside === true ? { text: "in short", usage: someUsage({ inputTokens: 900 }) } : { ...call, usage };
    const call = { calls: [{ tool: "Read", input: {} }] };
    let own = 0;
    const reply: ReplyScript = async (request) => {
      if (request.isAside !== true && ++own > 4) return { text: "done", usage };
      return typeof step === "function" ? step(request) : step;
    };
    const model = scriptedModel(
      Array.from({ length: 20 }, () => reply),
      { contextTokens: 32_000 },
    );
    await using engine = await startLoop({ models: model, tools: [big] });
    const task = await engine.run({ agent: "agent" });
    const asides = model.requests.filter(({ isAside }) => isAside === true).length;
    const turns = model.requests.length - asides;
    expect(asides).toBeGreaterThan(0);
    expect(task).toMatchObject({ turns, models: ["test/scripted"], spent: { tokens: turns * 120 + asides * 920 } });
    expect(task.usage).toEqual({
      inputTokens: turns * 100 + asides * 900,
      outputTokens: (turns + asides) * 20,
      cacheReadTokens: turns * 40,
      cacheWriteTokens: turns * 30,
      reasoningTokens: turns * 5,
    });
    const lines = factsOf(await engine.log(task.id), "budget.settled").map((event) => settledWords(event));
    expect(lines.filter((line) => line === "spent 920 tokens, $0.0009, on a summary")).toHaveLength(asides);
    expect(spentWords(task)).toContain(
      ` tokens (${turns * 40} read from a cache, ${turns * 30} written to one, ${turns * 5} of reasoning), $`,
    );
  });
});

function missing(): never {
  throw new Error("it is not in the log");
}
