// What an agent said last, and what its calls came to, is never lost: not by a store that fails for a moment, not while
// somebody is waited for, not while an attempt winds up.
import { describe, expect, test } from "vitest";
import { storeUnavailable } from "../../src/errors/index.ts";
import type { HeldEntry, Store, Tool } from "../../src/ports/index.ts";
import { type ReplyScript, scriptedModel, testWorld, type TestWorld } from "../../src/testing/index.ts";
import { answerNext } from "../engine/kit.ts";
import { type AgentWish, factsOf, fakeTool, startLoop, typesOf } from "./kit.ts";

const UNAVAILABLE = storeUnavailable("cadre.db", "is locked by another process", "Try again.");

/** The first append that fits fails once, when it is let go. */
function failingOnce(fits: (entry: HeldEntry) => boolean, letGo: Promise<void> = Promise.resolve()): TestWorld {
  const world = testWorld();
  let left = 1;
  const append: Store["append"] = async (hold, entries, before) => {
    if (entries.some(fits) && left-- > 0) {
      await letGo;
      throw UNAVAILABLE;
    }
    return world.store.append(hold, entries, before);
  };
  const store = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { ...world, store };
}

const settle = async ({ clock }: TestWorld) => {
  for (let round = 0; round < 80; round++) await clock.settle();
};

/** Tools that take a while to be let go. */
const slowly = (letGo: Promise<void>, tools: Tool[] = []) => ({
  toolbox: async () => ({ tools, [Symbol.asyncDispose]: () => letGo }),
});

describe("a store that fails for a moment", () => {
  test("while nobody waits: the reply is written with the end", async () => {
    const world = failingOnce(({ type }) => type === "model.replied");
    const done = Promise.withResolvers<void>();
    const models = scriptedModel([{ text: "the answer" }]);
    await using engine = await startLoop({ world, models, loop: slowly(done.promise) });
    const { id } = await engine.start({ agent: "agent" });
    engine.work();
    await settle(world);
    await world.clock.advance(10);
    done.resolve();
    const ended = await engine.until(id, "completed");
    expect(ended).toMatchObject({ lastSaid: "the answer", outcome: { answer: "the answer" } });
    expect(factsOf(await engine.log(id), "model.replied")).toHaveLength(1);
  });

  test("while the end is waited for: the reply goes along with it, and what it cost", async () => {
    const [busy, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const world = failingOnce(({ type }) => type === "model.replied", busy.promise);
    const models = scriptedModel([{ text: "the answer" }]);
    await using engine = await startLoop({ world, models, loop: slowly(done.promise) });
    const { id } = await engine.start({ agent: "agent" });
    engine.work();
    await settle(world);
    await world.clock.advance(10); // it is on its way
    done.resolve();
    await settle(world);
    busy.resolve();
    const ended = await engine.until(id, "completed");
    expect(ended.lastSaid).toBe("the answer");
    const log = typesOf(await engine.log(id));
    expect(log.filter((type) => type === "model.replied" || type === "task.ended")).toEqual([
      "model.replied",
      "task.ended",
    ]);
  });

  test("as a result is written that others are still waited for", async () => {
    const world = failingOnce((entry) => entry.type === "tool.returned" && entry.output === "quick");
    const slow = Promise.withResolvers<void>();
    const tools = [
      fakeTool("Read", () => ({ ok: true, text: "quick" })),
      fakeTool("Glob", async () => {
        await slow.promise;
        return { ok: true, text: "slow" };
      }),
    ];
    const calls = [
      { tool: "Read", input: {} },
      { tool: "Glob", input: {} },
    ];
    const models = scriptedModel([{ calls }, { text: "done" }]);
    await using engine = await startLoop({ world, models, tools });
    const { id } = await engine.start({ agent: "agent" });
    engine.work();
    await settle(world);
    await world.clock.advance(10);
    slow.resolve();
    await engine.until(id, "completed");
    expect(factsOf(await engine.log(id), "tool.returned").map(({ output }) => output)).toEqual(["quick", "slow"]);
  });
});

describe("in the log", () => {
  const asks = { mode: "allowlist", allow: ["Write", "Task"], ask: ["Write"], deny: [] } as const;
  const writer = (name: string): AgentWish => ({
    name,
    description: "writes",
    workspace: { allow_writes: true },
    tools: { ...asks, allow: [...asks.allow], ask: [...asks.ask], deny: [] },
  });
  const write: Tool = {
    ...fakeTool("Write", () => ({ ok: true, text: "written" }), "write"),
    plan: (input) => ({ ok: true, use: { effect: "write", path: String(Reflect.get(Object(input), "path")) } }),
  };
  const call = (path: string, n: number) => ({ tool: "Write", input: { path, n } });

  test("a result, while the next call of its strand waits for another's question", async () => {
    const models = scriptedModel([{ calls: [call("p", 1), call("p", 2), call("q", 3)] }, { text: "done" }]);
    await using engine = await startLoop({ models, agents: [writer("agent")], tools: [write] });
    const { id } = await engine.start({ agent: "agent" });
    engine.work();
    await settle(engine.world);
    await answerNext(engine, id, { verdict: "allow", scope: "once" });
    await settle(engine.world);
    expect(factsOf(await engine.log(id), "tool.returned")).toHaveLength(1);
  });

  test("what a refusal said and cost, before what takes time to be let go", async () => {
    const done = Promise.withResolvers<void>();
    const models = scriptedModel([{ text: "I will not.", stop: "refused" }]);
    await using engine = await startLoop({ models, loop: slowly(done.promise) });
    const { id } = await engine.start({ agent: "agent" });
    engine.work();
    await settle(engine.world);
    const log = await engine.log(id);
    expect([factsOf(log, "model.replied").length, factsOf(log, "budget.settled").length]).toEqual([1, 1]);
    done.resolve();
    expect((await engine.until(id, "failed")).outcome).toMatchObject({ reason: "refused" });
  });

  test("a child's result, while its parent waits for a slot", async () => {
    const [hog, dig] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const digging: ReplyScript = async () => {
      await dig.promise;
      return { text: "found" };
    };
    const hogging: ReplyScript = async () => {
      await hog.promise;
      return { text: "hogged" };
    };
    const task = { tool: "Task", input: { subagent_type: "child", prompt: "a" } };
    const models = {
      lead: scriptedModel([{ calls: [task, call("q", 1)] }, { text: "done" }]),
      child: scriptedModel([digging]),
      other: scriptedModel([{ calls: [call("z", 1)] }, hogging]),
    };
    const agents = [writer("lead"), { name: "child", description: "digs" }, writer("other")];
    const settings = { maxConcurrent: 1, collisions: "allow" } as const;
    await using engine = await startLoop({ models, agents, delegation: true, tools: [write], settings });
    const { world } = engine;
    const first = await engine.start({ agent: "other" });
    engine.work();
    await settle(world);
    const { id } = await engine.start({ agent: "lead" });
    await settle(world);
    for (const one of [first.id, id]) {
      await answerNext(engine, one, { verdict: "allow", scope: "once" });
      await settle(world);
    }
    dig.resolve();
    await settle(world);
    await world.clock.advance(10);
    await settle(world);
    expect((await engine.show(first.id)).status, "it has the only slot").toBe("running");
    const log = typesOf(await engine.log(id));
    expect(log.slice(-2)).toEqual(["child.ended", "tool.returned"]);
    hog.resolve();
    await engine.until(id, "completed");
  });

  test("the last words of one that is stopped as it ends", async () => {
    const done = Promise.withResolvers<void>();
    const models = scriptedModel([
      { text: "I look first", calls: [{ tool: "Read", input: {} }] },
      { text: "The final answer" },
    ]);
    await using engine = await startLoop({ models, loop: slowly(done.promise, [fakeTool("Read")]) });
    const { id } = await engine.start({ agent: "agent" });
    engine.work();
    await settle(engine.world);
    await engine.engine.stop(id, "ada");
    await settle(engine.world);
    done.resolve();
    const ended = await engine.until(id, "cancelled");
    expect(ended.outcome).toMatchObject({ status: "cancelled", answer: "The final answer" });
  });
});
