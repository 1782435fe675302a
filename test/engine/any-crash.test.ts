// Several workers on one store, which die, leave and come back in any order while people interfere.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import { hasEnded, isHeld } from "../../src/domain/transitions.ts";
import type { Envelope, TapeStep } from "../../src/schema/index.ts";
import { registryOf, startEngine, testWorld, type TestEngine, type TestWorld } from "../../src/testing/index.ts";
import { allTasks, closeInTime, mostComputing, wholeLog } from "./kit.ts";

const retry = { attempts: 2, on: ["crashed" as const] };
const child = (name: string, ...tape: TapeStep[]) => ({ name, description: "Helps.", tape });

const registry = registryOf(
  {
    name: "lead",
    description: "Leads.",
    retry,
    tape: [
      { say: "I begin" },
      { together: [{ delegate: "slow", prompt: "a" }, { delegate: "broken", prompt: "b" }, { ask: "Well?" }] },
      { delegate: "slow", prompt: "c", background: true },
      { pause_ms: 30 },
      { answer: "done" },
    ],
  },
  child("slow", { pause_ms: 100 }, { say: "hm" }, { pause_ms: 100 }, { answer: "done" }),
  child("broken", { pause_ms: 50 }, { crash: "bang" }),
  child("hung", { hang: true }),
);

type Wish =
  | { do: "open" | "kill" | "close"; pick: number }
  | { do: "start"; agent: string }
  | { do: "stop" | "retry" | "answer"; pick: number }
  | { do: "pass"; ms: number };

const pick = fc.nat(30);
const wish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({ do: fc.constantFrom("open" as const, "kill" as const, "close" as const), pick }),
  fc.record({ do: fc.constant("start" as const), agent: fc.constantFrom("lead", "lead", "hung") }),
  fc.record({ do: fc.constantFrom("stop" as const, "retry" as const, "answer" as const), pick }),
  fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(0, 20, 60, 150, 2000) }),
);

const settings = { maxConcurrent: 2, rateLimitPerMin: 10_000, approvalTimeoutMs: 500 };

/** Engines at work, of which some may be killed or closed. */
class Crew {
  readonly world: TestWorld;
  readonly engines: TestEngine[] = [];

  constructor(world: TestWorld) {
    this.world = world;
  }

  async open(): Promise<void> {
    const engine = await startEngine({ world: this.world, registry, settings });
    engine.work();
    this.engines.push(engine);
  }

  async act(what: Wish): Promise<void> {
    const { store, clock } = this.world;
    if (what.do === "pass") return clock.advance(what.ms);
    if (what.do === "open") return this.open();
    if (what.do === "start") return this.#start(what.agent);
    if (what.do === "kill" || what.do === "close") {
      const [engine] = this.engines.splice(what.pick % Math.max(1, this.engines.length), 1);
      if (what.do === "kill") engine?.kill();
      else if (engine !== undefined) await closeInTime(engine);
      return;
    }
    const tasks = await allTasks(this.world);
    const task = tasks[what.pick % Math.max(1, tasks.length)];
    if (task === undefined) return;
    if (what.do === "stop") await store.command(task.id, { type: "stop", by: "ada" });
    if (what.do === "retry") await store.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    const open = task.approvals.find(({ state }) => state === "open");
    if (what.do === "answer" && open !== undefined) {
      await store.command(task.id, { type: "answer", approval: open.id, answer: { verdict: "deny" }, by: "ada" });
    }
  }

  /** Everything that is left is run or stopped by one that comes last. */
  async wind(): Promise<void> {
    await this.open();
    await this.world.clock.advance(5000);
    for (const { id } of await allTasks(this.world))
      await this.world.store.command(id, { type: "stop", by: "the end" });
    await this.world.clock.advance(5000);
    for (const engine of this.engines) await closeInTime(engine);
  }

  async #start(agent: string): Promise<void> {
    const [engine] = this.engines;
    if (engine !== undefined) await engine.start({ agent });
  }
}

/** Of every task, one attempt at a time, and each by one worker. */
function overlaps(log: readonly Envelope[]): string[] {
  const held = new Map<string, number | null>();
  const found: string[] = [];
  for (const { stream, event, attempt } of log) {
    if (event.type === "attempt.started") {
      if (held.has(stream)) found.push(`${stream}: attempt ${attempt} began during ${held.get(stream)}`);
      held.set(stream, attempt);
    } else if (["task.ended", "task.requeued", "task.interrupted"].includes(event.type)) held.delete(stream);
    else if (stream.startsWith("task:") && attempt !== null && held.get(stream) !== attempt) {
      found.push(`${stream}: ${event.type} of attempt ${attempt} during ${held.get(stream)}`);
    }
  }
  return found;
}

describe("whatever happens to workers,", () => {
  test(
    "one attempt of a task runs at a time, limits hold, and in the end everything has ended",
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(wish, { minLength: 5, maxLength: 25 }), async (wishes) => {
          const crew = new Crew(testWorld());
          await crew.open();
          await crew.open();
          await crew.engines[0]?.start({ agent: "lead" });
          for (const what of wishes) await crew.act(what);
          await crew.wind();

          const log = await wholeLog(crew.world);
          const tasks = await allTasks(crew.world);
          expect(overlaps(log)).toEqual([]);
          expect(mostComputing(log)).toBeLessThanOrEqual(settings.maxConcurrent);
          expect(
            tasks.filter(({ status }) => isHeld(status) || !hasEnded(status)).map(({ id, status }) => [id, status]),
          ).toEqual([]);
          for (const task of tasks) expect(foldTask(task.id, log)).toEqual(task);
        }),
        { numRuns: 40 },
      );
    },
  );
});
