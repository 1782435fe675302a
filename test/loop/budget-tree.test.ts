// Three levels, forty agents, and a budget that is too small for them: nothing is sent that was not reserved, nothing is
// spent beyond the limit, and every agent ends in a state that is true.
import { expect, test } from "vitest";
import type { ModelMessage, ModelRequest } from "../../src/ports/index.ts";
import type { Envelope, TaskEvent, TaskView } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, type ScriptedReply, someUsage } from "../../src/testing/index.ts";
import { type AgentWish, fakeTool, startLoop } from "./kit.ts";

const MIDDLES = 3;
const LEAVES = 12;
const agents: AgentWish[] = [
  { name: "top", description: "leads", tools: ["Task"] },
  { name: "middle", description: "leads, too", tools: ["Task"] },
  { name: "leaf", description: "works", tools: ["Read"] },
];

const turnOf = (messages: readonly ModelMessage[]): number =>
  messages.filter(({ role }) => role === "assistant").length;

/** The dearest reply that the request allows: as many tokens as a model could have counted, the longest output. */
const dear = ({ messages, tools, maxOutputTokens }: ModelRequest, reply: ScriptedReply): ScriptedReply => ({
  ...reply,
  usage: {
    inputTokens: Math.floor(Buffer.byteLength(JSON.stringify([messages.map(({ text }) => text), tools])) / 4),
    outputTokens: maxOutputTokens,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  },
});

const delegates = (agent: string, count: number): ReplyScript[] =>
  Array.from({ length: 200 }, () => (request) => {
    const isFirst = turnOf(request.messages) === 0;
    const calls = Array.from({ length: count }, (_, index) => ({
      tool: "Task",
      input: { subagent_type: agent, prompt: `part ${index}` },
    }));
    return dear(request, isFirst && request.tools.length > 0 ? { calls } : { text: "That is what I have." });
  });

const works: ReplyScript[] = Array.from({ length: 2_000 }, () => (request) => {
  const isDone = turnOf(request.messages) >= 3 || request.tools.length === 0;
  return dear(request, isDone ? { text: "Worked." } : { calls: [{ tool: "Read", input: {} }] });
});

async function tree(limits: { maxTokens?: number; budgetUsd?: number }) {
  const models = {
    top: scriptedModel(delegates("middle", MIDDLES)),
    middle: scriptedModel(delegates("leaf", LEAVES)),
    leaf: scriptedModel(works),
  };
  await using engine = await startLoop({
    models,
    agents,
    delegation: true,
    tools: [fakeTool("Read")],
    settings: { rateLimitPerMin: 10_000 },
  });
  const root = await engine.run({ agent: "top", limits });
  const log = await engine.world.store.read({ after: 0, limit: 100_000 });
  const requests = Object.values(models).reduce((sum, model) => sum + model.requests.length, 0);
  return { root, log, requests, tasks: await engine.all() };
}

/** What was promised and spent over the whole tree, after every event. */
function mostCommitted(log: readonly Envelope[], unit: "tokens" | "microUsd"): number {
  const open = new Map<string, number>();
  let spent = 0;
  let most = 0;
  for (const { event } of log) {
    if (event.type === "budget.reserved") open.set(event.reservation, event.amount[unit] ?? 0);
    if (event.type === "budget.settled") {
      open.delete(event.reservation);
      spent += event.spent[unit] ?? 0;
    }
    most = Math.max(most, spent + [...open.values()].reduce((sum, amount) => sum + amount, 0));
  }
  expect(open.size).toBe(0);
  return most;
}

/** Those for calls: what is set aside for last words is for later. */
const reservations = (log: readonly Envelope[]): number =>
  log
    .map(({ event }) => event as TaskEvent)
    .filter((event) => event.type === "budget.reserved")
    .filter(({ use }) => use === "call").length;

const isTrue = ({ status, outcome, holder }: TaskView): boolean =>
  holder === null &&
  ((status === "completed" && outcome?.status === "completed" && outcome.answer !== "") ||
    (status === "failed" && outcome?.status === "failed" && outcome.reason === "budget"));

test("with enough, all forty complete", async () => {
  const { root, tasks, log, requests } = await tree({ maxTokens: 10_000_000 });
  expect(root.outcome).toMatchObject({ status: "completed", recovered: null });
  expect(tasks).toHaveLength(1 + MIDDLES + MIDDLES * LEAVES);
  expect(tasks.every(({ status }) => status === "completed")).toBe(true);
  expect(reservations(log)).toBe(requests);
});

test.each([15_000, 25_000, 40_000, 70_000, 75_000])("with %i tokens for all of them", async (maxTokens) => {
  const { tasks, log, requests } = await tree({ maxTokens });
  const spent = tasks.reduce((sum, task) => sum + task.spent.tokens, 0);
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(maxTokens);
  expect(mostCommitted(log, "tokens")).toBeLessThanOrEqual(maxTokens);
  expect(reservations(log)).toBe(requests);
  expect(tasks.filter((task) => !isTrue(task)).map(({ outcome }) => outcome)).toEqual([]);
  const short = tasks.filter(
    ({ outcome }) =>
      outcome?.status === "failed" || (outcome?.status === "completed" && outcome.recovered?.limit === "budget"),
  );
  expect(short.length).toBeGreaterThan(0);
});

test("with too few dollars for all of them", async () => {
  const { tasks, log, requests } = await tree({ budgetUsd: 0.05 });
  const spent = tasks.reduce((sum, task) => sum + task.spent.microUsd, 0);
  expect(spent).toBeGreaterThan(0);
  expect(mostCommitted(log, "microUsd")).toBeLessThanOrEqual(50_000);
  expect(spent).toBeLessThanOrEqual(50_000);
  expect(reservations(log)).toBe(requests);
  expect(tasks.filter((task) => !isTrue(task)).map(({ outcome }) => outcome)).toEqual([]);
});

test("what others have under way is waited for, and nobody is told that a budget is used up which is not", async () => {
  const cheap = someUsage({ inputTokens: 100, outputTokens: 50 });
  const calls = Array.from({ length: 8 }, (_, index) => ({
    tool: "Task",
    input: { subagent_type: "leaf", prompt: `part ${index}` },
  }));
  const looks: ReplyScript = ({ messages }) =>
    turnOf(messages) < 2 ? { calls: [{ tool: "Read", input: {} }], usage: cheap } : { text: "Worked.", usage: cheap };
  const models = {
    top: scriptedModel(
      [
        { calls, usage: cheap },
        { text: "All done.", usage: cheap },
      ],
      { maxOutputTokens: 8_000 },
    ),
    leaf: scriptedModel(
      Array.from({ length: 24 }, () => looks),
      { maxOutputTokens: 8_000 },
    ),
  };
  const tools = [fakeTool("Read")];
  await using engine = await startLoop({ models, agents, delegation: true, tools, settings: { rateLimitPerMin: 100 } });
  const root = await engine.run({ agent: "top", limits: { maxTokens: 40_000 } });
  const tasks = await engine.all();
  expect(tasks.map(({ outcome }) => outcome?.status === "completed" && outcome.recovered)).toEqual(
    Array.from({ length: 9 }, () => null),
  );
  expect(root.outcome?.answer).toBe("All done.");
  const log = await engine.world.store.read({ after: 0, limit: 100_000 });
  expect(log.some(({ event }) => event.type === "attempt.suspended" && event.on === "budget")).toBe(true);
  expect(mostCommitted(log, "tokens")).toBeLessThanOrEqual(40_000);
  const turns = log.flatMap(({ event }) => (event.type === "turn.started" ? [event.turn] : []));
  expect(turns).toHaveLength(2 + 8 * 3);
});
