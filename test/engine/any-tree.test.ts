// Whatever a tree of agents does and whatever is done to it: it ends, and leaves nothing behind.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import { hasEnded } from "../../src/domain/transitions.ts";
import type { TapeStep } from "../../src/schema/index.ts";
import { memoryWorkspaces, registryOf, startEngine, testWorld, type TestEngine } from "../../src/testing/index.ts";
import { allTasks, type Definition, mostComputing, wholeLog } from "./kit.ts";

type Call = Extract<TapeStep, { together: unknown }>["together"][number];

/** Agents form a line; each may delegate to those after it, so that every tree is finite. */
const AGENTS = 4;

const callOf = (agent: number): fc.Arbitrary<Call> =>
  fc.oneof(
    fc.constantFrom<Call>({ read: "a.txt" }, { read: "missing" }, { write: "b.txt", content: "x" }, { ask: "Well?" }),
    ...(agent + 1 < AGENTS
      ? [
          fc.record({
            delegate: fc.integer({ min: agent + 1, max: AGENTS - 1 }).map((index) => `agent-${index}`),
            prompt: fc.constant("go on"),
            background: fc.boolean(),
          }),
        ]
      : []),
  );

const stepOf = (agent: number): fc.Arbitrary<TapeStep> =>
  fc.oneof(
    callOf(agent),
    fc.record({ together: fc.array(callOf(agent), { minLength: 1, maxLength: 3 }) }),
    fc.constantFrom<TapeStep>(
      { say: "hm" },
      { pause_ms: 100 },
      { spend: { microUsd: 0, tokens: 10 } },
      { hear: "never said" },
    ),
  );

const endings: readonly TapeStep[][] = [
  [{ answer: "done" }],
  [{ answer: "done" }],
  [{ answer: "done" }],
  [{ crash: "bang" }],
  [{ fail: "backend_error", message: "no" }],
  [{ hang: true }],
  [],
];

const agentOf = (agent: number): fc.Arbitrary<Definition> =>
  fc
    .record({
      steps: fc.array(stepOf(agent), { maxLength: 4 }),
      ending: fc.constantFrom(...endings),
      mode: fc.constantFrom("plan" as const, "default" as const, "auto" as const),
      turns: fc.integer({ min: 1, max: 5 }),
      tokens: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }),
      retry: fc.option(fc.constant<Definition["retry"]>({ attempts: 2, on: ["crashed", "backend_error"] }), {
        nil: undefined,
      }),
    })
    .map(({ steps, ending, mode, turns, tokens, retry }): Definition => ({
      name: `agent-${agent}`,
      description: "Does something.",
      permission_mode: mode,
      workspace: { allow_writes: true },
      max_turns: turns,
      timeout_mins: 1,
      tape: [...steps, ...ending],
      ...(tokens === undefined ? {} : { max_tokens: tokens }),
      ...(retry === undefined ? {} : { retry }),
    }));

const agents = fc.tuple(...Array.from({ length: AGENTS }, (_, index) => agentOf(index)));

const settings = fc.record({
  maxConcurrent: fc.integer({ min: 1, max: 4 }),
  maxDepth: fc.integer({ min: 0, max: 3 }),
  maxPerRoot: fc.integer({ min: 1, max: 12 }),
  approvalTimeoutMs: fc.constantFrom(1000, 600_000),
  rateLimitPerMin: fc.constant(10_000),
});

const action = fc.oneof(
  fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(0, 50, 1000, 61_000) }),
  fc.record({ do: fc.constantFrom("stop", "answer", "send", "retry", "start"), pick: fc.nat(20) }),
);

type Action = typeof action extends fc.Arbitrary<infer Value> ? Value : never;

async function act(engine: TestEngine, wish: Action): Promise<void> {
  if (wish.do === "pass") return engine.world.clock.advance(wish.ms);
  const tasks = await allTasks(engine.world);
  const task = tasks[wish.pick % Math.max(1, tasks.length)];
  if (wish.do === "start" || task === undefined) {
    await engine.start({ agent: "agent-0" });
    return;
  }
  const { engine: real } = engine;
  if (wish.do === "stop") await real.stop(task.id, "ada");
  if (wish.do === "send") await real.command(task.id, { type: "send", text: "psst", by: "ada" });
  if (wish.do === "retry") await real.command(task.id, { type: "requeue", because: "retry", by: "ada" });
  const open = task.approvals.find(({ state }) => state === "open");
  if (wish.do === "answer" && open !== undefined) {
    await real.command(task.id, {
      type: "answer",
      approval: open.id,
      answer: { verdict: "allow", scope: "task" },
      by: "ada",
    });
  }
}

/** What hears nothing waits for ever, so everything that is left is stopped in the end. */
async function wind(engine: TestEngine): Promise<void> {
  await engine.world.clock.advance(3_600_000);
  for (const { id } of await allTasks(engine.world)) await engine.engine.stop(id, "the end");
  await engine.world.clock.advance(10_000);
}

describe("any tree of agents, under any limits,", () => {
  test(
    "ends with every task in a final state, and leaves no slot, no workspace and no timer",
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(agents, settings, fc.array(action, { maxLength: 6 }), async (definitions, limits, actions) => {
          const world = testWorld();
          const workspaces = memoryWorkspaces({ "a.txt": "text" });
          const engine = await startEngine({
            world,
            workspaces,
            registry: registryOf(...definitions),
            settings: limits,
          });
          await engine.start({ agent: "agent-0" });
          engine.work();
          for (const wish of actions) await act(engine, wish);
          await wind(engine);
          await engine[Symbol.asyncDispose]();

          const tasks = await allTasks(world);
          const log = await wholeLog(world);
          expect(tasks.filter(({ status }) => !hasEnded(status)).map(({ id, status }) => [id, status])).toEqual([]);
          expect(mostComputing(log)).toBeLessThanOrEqual(limits.maxConcurrent);
          expect(workspaces.open).toBe(0);
          expect(world.clock.sleepers).toBe(0);
          for (const task of tasks) {
            expect(task.attempts.every(({ endedAt }) => endedAt !== null)).toBe(true);
            expect(foldTask(task.id, log), "the view is what the log says").toEqual(task);
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  test("spends no more than its budget allows, over all of its tasks", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(agents, settings, fc.integer({ min: 1, max: 100 }), async (definitions, limits, maxTokens) => {
        const world = testWorld();
        const engine = await startEngine({ world, registry: registryOf(...definitions), settings: limits });
        const root = await engine.start({ agent: "agent-0", limits: { maxTokens } });
        engine.work();
        await wind(engine);
        await engine[Symbol.asyncDispose]();
        const tasks = await allTasks(world);
        const spent = tasks.reduce((sum, task) => sum + task.spent.tokens, 0);
        expect(spent).toBeLessThanOrEqual(root.spec.limits.budget.tokens ?? maxTokens);
      }),
      { numRuns: 30 },
    );
  });
});
