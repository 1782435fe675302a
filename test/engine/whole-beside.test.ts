// Backends that cannot say what one call costs, side by side under one budget: each takes all that is left, so the next one
// waits until it has ended. Nobody waits for what could never be settled meanwhile.
import { describe, expect, it } from "vitest";
import type { TaskView } from "../../src/schema/index.ts";
import {
  answers,
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
  type TestEngine,
  testWorld,
  type TestWorld,
} from "../../src/testing/index.ts";
import { allTasks, byAgent, factsOf, wholeLog } from "./kit.ts";

const AT_END = { capabilities: { usage: "at-end" } } as const;

const tokens = (count: number) => ({ microUsd: 0, tokens: count });

const named = async ({ world }: TestEngine, name: string): Promise<TaskView | undefined> =>
  (await allTasks(world)).find(({ spec }) => spec.definition.name === name);

const waitingOf = async (engine: TestEngine, name: string) => (await named(engine, name))?.waitingOn;

/** Starts all of them beside each other, and tells how each has ended. */
const starts =
  (...agents: readonly string[]): Script =>
  async (_attempt, scope) => {
    const ends: string[] = [];
    const started = [];
    for (const agent of agents) started.push(await scope.delegate({ agent, prompt: "x", background: true }));
    for (const child of started) {
      if (child.kind === "refused") ends.push(child.message);
      else ends.push((await scope.outcomeOf(child.child)).outcome?.answer ?? "nothing");
    }
    return { kind: "answered", answer: ends.join(", ") };
  };

/** It works until the test lets it go on, then has used ten tokens. */
function costs(answer: string): { readonly script: Script; readonly done: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = async (_attempt, { signal }) => {
    const over = new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason)),
    );
    await Promise.race([promise, over]);
    return { kind: "answered", answer, spent: tokens(10) };
  };
  return { script, done: resolve };
}

const agentOf = (name: string, backend: string | [string, ...string[]]) => ({
  name,
  description: `Is ${name}.`,
  backend,
  tools: ["Task"],
  ...(name === "second" ? { timeout_mins: 1 } : {}),
});

/** `cli` takes the whole, `loop` reserves call by call. The lead has a hundred tokens for all of them. */
const withAgents = (
  cli: Readonly<Record<string, Script>>,
  loop: Readonly<Record<string, Script>>,
  options: { readonly world?: TestWorld; readonly maxConcurrent?: number } = {},
) =>
  startEngine({
    ...(options.world === undefined ? {} : { world: options.world }),
    settings: { maxConcurrent: options.maxConcurrent ?? 10 },
    registry: registryOf(
      ...Object.keys(loop).map((name) => ({
        ...agentOf(name, "loop"),
        ...(name === "lead" ? { max_tokens: 100 } : {}),
      })),
      ...Object.keys(cli).map((name) => agentOf(name, "cli")),
    ),
    backends: [
      scriptedBackend(byAgent(loop), { name: "loop" }),
      scriptedBackend(byAgent(cli), { name: "cli", ...AT_END }),
    ],
  });

describe("two backends that take the whole", () => {
  it("work one after the other, and who waits gives its place back", async () => {
    const [first, second] = [costs("one"), costs("two")];
    const scripts = { first: first.script, second: second.script };
    await using engine = await withAgents(scripts, { lead: starts("first", "second") }, { maxConcurrent: 2 });
    const { id } = await engine.start({ agent: "lead" });
    engine.work();
    await expect.poll(() => waitingOf(engine, "second")).toBe("budget");
    await engine.world.clock.advance(5 * 60_000); // which is nobody's time
    first.done();
    await expect.poll(async () => (await named(engine, "second"))?.status).toBe("running");
    second.done();
    expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "one, two" });
    const log = await wholeLog(engine.world);
    const wholes = factsOf(log, "budget.reserved").map(({ amount }) => amount.tokens);
    expect(wholes).toEqual([100, 90]);
  });

  it("cannot both have it: what the first has used is missing to the second", async () => {
    const all: Script = async () => ({ kind: "answered", answer: "one" }); // it says nothing of what it took
    await using engine = await withAgents({ first: all, second: all }, { lead: starts("first", "second") });
    await engine.run({ agent: "lead" });
    expect((await named(engine, "second"))?.outcome).toMatchObject({ status: "failed", reason: "budget" });
    expect((await named(engine, "first"))?.bound).toEqual(tokens(100));
  });

  it("are told where the worker of the one that has it is killed: it may have used it up", async () => {
    const world = testWorld();
    const scripts = { first: costs("one").script, second: costs("two").script };
    const lead = starts("first", "second");
    const dying = await withAgents(scripts, { lead }, { world, maxConcurrent: 1 });
    await dying.start({ agent: "lead" });
    dying.work();
    await expect.poll(async () => factsOf(await wholeLog(world), "budget.reserved").length).toBe(1);
    await using other = await withAgents(scripts, { lead }, { world });
    other.work();
    await expect.poll(() => waitingOf(other, "second")).toBe("budget");
    dying.kill();
    await world.clock.advance(5_000);
    await expect.poll(async () => (await named(other, "second"))?.outcome).toMatchObject({ reason: "budget" });
    expect((await named(other, "first"))?.bound).toEqual(tokens(100));
  });

  it("do not wait for the one above: that waits for them", async () => {
    const first = starts("second");
    await using engine = await withAgents({ first, second: costs("two").script }, { lead: starts("first") });
    const { outcome } = await engine.run({ agent: "lead" });
    expect(outcome).toMatchObject({ answer: "the budget allows 0 more tokens" });
  });

  it("wait for each other below one that nothing limits", async () => {
    const [first, second] = [costs("one"), costs("two")];
    first.done();
    second.done();
    const scripts = { first: first.script, second: second.script, top: starts("lead") };
    await using engine = await withAgents(scripts, { lead: starts("first", "second") });
    expect((await engine.run({ agent: "top" })).outcome).toMatchObject({ answer: "one, two" });
  });

  it("leave the one that waits to be stopped, and it has cost nothing", async () => {
    const first = costs("one");
    const scripts = { first: first.script, second: costs("two").script };
    await using engine = await withAgents(scripts, { lead: starts("first", "second") });
    const { id } = await engine.start({ agent: "lead" });
    engine.work();
    await expect.poll(() => waitingOf(engine, "second")).toBe("budget");
    const second = await named(engine, "second");
    await engine.engine.stop(second?.id ?? id, "ada");
    expect(await engine.until(second?.id ?? id, "cancelled")).toMatchObject({ spent: tokens(0), bound: tokens(0) });
    first.done();
    expect((await engine.until(id, "completed")).spent).toEqual(tokens(0));
  });
});

describe("beside a backend that has the whole", () => {
  it("a call waits until it has ended, also of the one that has started it", async () => {
    const first = costs("one");
    const leads: Script = async (_attempt, scope) => {
      const child = await scope.delegate({ agent: "first", prompt: "x", background: true });
      if (child.kind === "refused") throw new Error(child.message);
      await expect.poll(async () => (await scope.child(child.child))?.attempts.length).toBe(1);
      await isTaken.promise;
      const call = await scope.reserve(tokens(50), { waitUntil: scope.signal });
      if (call === false) return { kind: "failed", reason: "budget", message: "no room" };
      await scope.append({ type: "settle", reservation: call, spent: tokens(5) });
      return { kind: "answered", answer: (await scope.outcomeOf(child.child)).outcome?.answer ?? "nothing" };
    };
    const isTaken = Promise.withResolvers<void>();
    const takes: Script = (attempt, scope) => {
      isTaken.resolve();
      return first.script(attempt, scope);
    };
    await using engine = await withAgents({ first: takes }, { lead: leads });
    const { id } = await engine.start({ agent: "lead" });
    engine.work();
    await expect.poll(() => waitingOf(engine, "lead")).toBe("budget");
    first.done();
    expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "one" });
  });

  it("a task is admitted, and waits like one that was there before", async () => {
    const first = costs("one");
    const calls: Script = async (_attempt, scope) => {
      const call = await scope.reserve(tokens(50), { waitUntil: scope.signal });
      return { kind: "answered", answer: call === false ? "short" : "called" };
    };
    const begun = Promise.withResolvers<void>();
    const takes: Script = (attempt, scope) => {
      begun.resolve();
      return first.script(attempt, scope);
    };
    const leads: Script = async (attempt, scope) => {
      const one = await scope.delegate({ agent: "first", prompt: "x", background: true });
      await begun.promise;
      const { kind, ...rest } = await starts("second")(attempt, scope);
      if (one.kind === "started") await scope.outcomeOf(one.child);
      return { kind, ...rest } as Awaited<ReturnType<Script>>;
    };
    await using engine = await withAgents({ first: takes }, { lead: leads, second: calls });
    const { id } = await engine.start({ agent: "lead" });
    engine.work();
    await expect.poll(() => waitingOf(engine, "second")).toBe("budget");
    first.done();
    expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "called" });
  });
});

describe("a task that nobody runs yet", () => {
  const leads: Script = async (_attempt, scope) => {
    const started = [];
    for (const agent of ["first", "first"])
      started.push((await scope.delegate({ agent, prompt: "x", background: true })).kind);
    const call = await scope.reserve(tokens(50));
    if (call !== false) await scope.append({ type: "settle", reservation: call, spent: tokens(5) });
    return { kind: "answered", answer: [...started, call === false ? "short" : "called"].join(", ") };
  };

  it.each([["cli"], ["loop", "cli"]] as const)("has nothing of the budget: one on %s", async (...backend) => {
    const first = { ...agentOf("first", [...backend]) };
    await using engine = await startEngine({
      settings: { maxConcurrent: 1 },
      registry: registryOf({ ...agentOf("lead", "loop"), max_tokens: 100 }, first),
      backends: [
        scriptedBackend(byAgent({ lead: leads, first: answers("one") }), { name: "loop" }),
        scriptedBackend(byAgent({ first: answers("one") }), { name: "cli", ...AT_END }),
      ],
    });
    expect((await engine.run({ agent: "lead" })).outcome).toMatchObject({ answer: "started, started, called" });
  });
});
