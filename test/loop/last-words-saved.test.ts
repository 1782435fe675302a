// What is there when a limit is reached, and what was kept for it.
import { describe, expect, it } from "vitest";
import type { GateVerdict } from "../../src/ports/index.ts";
import { NO_USAGE } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedBackend, scriptedModel, someUsage, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, fakeTool, startLoop } from "./kit.ts";

const never = new Promise<never>(() => undefined);
const stuckTool = fakeTool("Read", () => never);
const read: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
const task = (agent: string, more = {}) => ({ tool: "Task", input: { subagent_type: agent, prompt: "x", ...more } });
const inBackground = { run_in_background: true };

describe("an answer that was there when the time was up", () => {
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task", "Read"], completion: { exits: ["complete_task"] } },
    { name: "child", description: "digs" },
  ];

  it.each(["still runs", "has ended"])("is saved where last words do not come, and a child %s", async (how) => {
    const found = Promise.withResolvers<void>();
    const models = {
      lead: scriptedModel([
        { calls: [task("child", inBackground)] },
        {
          calls: [
            { tool: "Read", input: {} },
            { tool: "complete_task", input: { result: "42" } },
          ],
        },
        { error: { kind: "auth", message: "401" }, usage: NO_USAGE },
      ]),
      child: scriptedModel([{ after: how === "has ended" ? found.promise : never, text: "found" }]),
    };
    await using engine = await startLoop({ models, agents, delegation: true, tools: [stuckTool] });
    const { id } = await engine.start({ agent: "lead", limits: { timeoutMs: 10_000 } });
    engine.work();
    await engine.untilAll("child", "running");
    await expect.poll(() => models.lead.requests.length).toBe(2);
    found.resolve();
    if (how === "has ended") await engine.untilAll("child", "completed");
    await engine.world.clock.settle();
    await engine.world.clock.advance(10_000);
    const { outcome } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "42", recovered: { limit: "timeout" } });
  });

  it("is not, where a gate had sent it back", async () => {
    const models = {
      lead: scriptedModel([
        { calls: [{ tool: "complete_task", input: { result: "42" } }] },
        { after: never },
        { error: { kind: "auth", message: "401" }, usage: NO_USAGE },
      ]),
    };
    let asked = 0;
    const check = async (): Promise<GateVerdict> =>
      asked++ === 0 ? { passed: false, reason: "gate_failed", feedback: "no" } : { passed: true, independent: false };
    await using engine = await startLoop({ models, agents, gates: () => [{ name: "g", check }] });
    const { id } = await engine.start({ agent: "lead", limits: { timeoutMs: 10_000 } });
    engine.work();
    await expect.poll(() => models.lead.requests.length).toBe(2);
    await engine.world.clock.settle();
    await engine.world.clock.advance(10_000);
    expect((await engine.until(id, "failed")).outcome).toMatchObject({ reason: "timeout" });
  });
});

it("what is held back for last words is kept while they are tried once more", async () => {
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task"] },
    { name: "agent", description: "says" },
  ];
  const limited: ReplyScript = { error: { kind: "rate_limited", message: "429" }, usage: NO_USAGE };
  const models = {
    lead: scriptedModel([{ calls: [task("agent")] }, { text: "ok" }]),
    agent: scriptedModel([{ ...read, usage: someUsage({ outputTokens: 6_200 }) }, limited, { text: "so far" }], {
      maxOutputTokens: 4_000,
    }),
  };
  await using engine = await startLoop({ models, agents, delegation: true, tools: [fakeTool("Read")] });
  const lead = await engine.start({ agent: "lead", limits: { maxTokens: 12_000 } });
  engine.work();
  await expect.poll(() => models.agent.requests.length).toBe(2);
  await engine.untilAll("agent", "waiting");
  const { holder } = await engine.show(lead.id);
  if (holder === null) throw new Error("nobody holds the lead");
  const all = { type: "reserve", reservation: engine.world.mint.id("rsrv"), amount: "whole", use: "call" } as const;
  await engine.world.store.append({ task: lead.id, attempt: 1, worker: holder }, [all]);
  await engine.world.clock.advance(1_000);
  await engine.untilAll("agent", "completed");
  const [child] = await engine.children(lead);
  expect(child?.outcome).toMatchObject({ answer: "so far", recovered: { limit: "budget" } });
});

it("last words on less are asked for before calls of others are waited for", async () => {
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task", "Read"] },
    { name: "agent", description: "says", max_turns: 1 },
  ];
  const models = {
    lead: scriptedModel([{ calls: [task("agent")] }, { text: "ok" }], { maxOutputTokens: 4_000 }),
    agent: scriptedModel([read, { text: "so far" }], { maxOutputTokens: 4_000 }),
  };
  const isLeft = Promise.withResolvers<void>();
  const long = fakeTool("Read", async () => {
    await isLeft.promise;
    return { ok: true, text: "many words ".repeat(2_000) };
  });
  await using engine = await startLoop({ models, agents, delegation: true, tools: [long] });
  const lead = await engine.start({ agent: "lead", limits: { maxTokens: 24_000 } });
  engine.work();
  await expect.poll(() => long.ran.length).toBe(1);
  const { holder } = await engine.show(lead.id);
  if (holder === null) throw new Error("nobody holds the lead");
  const all = { type: "reserve", reservation: engine.world.mint.id("rsrv"), amount: "whole", use: "call" } as const;
  await engine.world.store.append({ task: lead.id, attempt: 1, worker: holder }, [all]);
  isLeft.resolve();
  await engine.untilAll("agent", "completed");
  const [child] = await engine.children(lead);
  expect(child?.outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
});

it("last words with a gate that waits for ever end", async () => {
  const agents: AgentWish[] = [
    { name: "agent", description: "works" },
    { name: "judge", description: "judges", backend: "stuck" },
  ];
  const stuck = scriptedBackend([(_attempt, scope) => scope.hearNext().then(() => never)], { name: "stuck" });
  const models = { agent: scriptedModel([read, { text: "so far" }]) };
  const gates = () => [
    {
      name: "judge",
      async check(_attempt: unknown, _claim: unknown, scope: Parameters<typeof stuck.run>[1]) {
        const delegated = await scope.delegate({ agent: "judge", prompt: "judge" });
        if (delegated.kind === "started") await scope.outcomeOf(delegated.child);
        return { passed: true as const, independent: false };
      },
    },
  ];
  await using engine = await startLoop({ models, agents, tools: [stuckTool], backends: [stuck], gates });
  const { id } = await engine.start({ agent: "agent", limits: { timeoutMs: 10_000 } });
  engine.work();
  await engine.until(id, "running");
  await engine.world.clock.settle();
  await engine.world.clock.advance(10_000);
  await engine.untilAll("judge", "waiting");
  await engine.world.clock.advance(65_000);
  expect((await engine.until(id, "failed")).outcome).toMatchObject({ reason: "timeout" });
});

it("a stop reaches what a child that has ended left running", async () => {
  const agents: AgentWish[] = [
    { name: "lead", description: "leads", tools: ["Task", "Read"] },
    { name: "middle", description: "leads", tools: ["Task", "Read"], timeout_mins: 1, capabilities: ["subtask"] },
    { name: "leaf", description: "works" },
  ];
  const models = {
    lead: scriptedModel([{ calls: [task("middle")] }, { after: never }]),
    middle: scriptedModel([{ calls: [task("leaf", inBackground)] }, read, { text: "so far" }]),
    leaf: scriptedModel([{ after: never }]),
  };
  await using engine = await startLoop({ models, agents, delegation: true, tools: [stuckTool] });
  const lead = await engine.start({ agent: "lead" });
  engine.work();
  await expect.poll(() => models.middle.requests.length).toBe(2);
  await engine.world.clock.settle();
  await engine.world.clock.advance(61_000);
  await engine.untilAll("middle", "completed");
  await expect.poll(() => models.lead.requests.length).toBe(2);
  await engine.untilAll("leaf", "running");
  await engine.engine.stop(lead.id, "ada");
  await engine.until(lead.id, "cancelled");
  await engine.untilAll("leaf", "cancelled");
});

it("last words that a gate is not content with are not sent back: it is asked once", async () => {
  const model = scriptedModel([read, { text: "so far" }]);
  let asked = 0;
  const check = async (): Promise<GateVerdict> => ({ passed: false, reason: "gate_failed", feedback: `no ${++asked}` });
  await using engine = await startLoop({ models: model, tools: [fakeTool("Read")], gates: [{ name: "g", check }] });
  const { outcome } = await engine.run({ agent: "agent", limits: { maxTurns: 1 } });
  expect(outcome).toMatchObject({ status: "failed", reason: "gate_failed" });
  expect(asked).toBe(1);
});

it("a last turn that was begun when its worker died is still had", async () => {
  const world = testWorld();
  const dying = scriptedModel([{ after: never }]);
  const first = await startLoop({ world, models: dying });
  const { id } = await first.start({ agent: "agent", limits: { maxTurns: 1 } });
  first.work();
  await expect.poll(() => dying.requests.length).toBe(1);
  first.kill();
  await using second = await startLoop({ world, models: scriptedModel([{ text: "done" }]) });
  second.work();
  expect(await second.until(id, "completed")).toMatchObject({ turns: 1, outcome: { answer: "done", recovered: null } });
});
