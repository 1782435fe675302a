// A stop, a shutdown or a crash at every single step of the engine towards its store: whatever was going on,
// things end in order and can be taken up again.
import { describe, expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import { hasEnded, isHeld } from "../../src/domain/transitions.ts";
import type { TaskView } from "../../src/schema/index.ts";
import {
  memoryWorkspaces,
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
  testWorld,
  type TestWorld,
} from "../../src/testing/index.ts";
import { allTasks, byAgent, closeInTime, mostComputing, wholeLog } from "./kit.ts";

const registry = registryOf(
  { name: "lead", description: "Leads.", backend: "scripted", workspace: { allow_writes: true } },
  { name: "child", description: "Helps.", backend: "scripted" },
);

const lead: Script = async (_attempt, scope) => {
  await scope.append({ type: "turn.started", turn: 1 }, { type: "message.said", text: "I begin" });
  const reservation = await scope.reserve({ microUsd: 0, tokens: 10 });
  if (reservation !== false) await scope.append({ type: "settle", reservation, spent: { microUsd: 0, tokens: 5 } });
  await scope.delegate({ agent: "child", prompt: "in the background", background: true });
  await scope.together([
    async () => {
      const delegated = await scope.delegate({ agent: "child", prompt: "in the foreground" });
      if (delegated.kind === "started") await scope.outcomeOf(delegated.child);
    },
    async () => void (await scope.permit({ tool: "Write", effect: "write", path: "a", input: {} })),
    async () => void (await scope.hearNext()),
  ]);
  await scope.sleep(100);
  return { kind: "answered", answer: "done" };
};

const child: Script = async (_attempt, scope) => {
  await scope.sleep(50);
  await scope.append({ type: "message.said", text: "I help" });
  return { kind: "answered", answer: "helped" };
};

/** The same world, whose store calls back just before its n-th step. */
function countedWorld() {
  const world = testWorld();
  let count = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let callback: () => void = () => undefined;
  const store = new Proxy(world.store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (property !== "subscribe" && ++count === wanted) callback();
        return Reflect.apply(member, target, args) as unknown;
      };
    },
  });
  return {
    world: { ...world, store },
    steps: () => count,
    at: (step: number, then: () => void) => {
      count = 0;
      wanted = step;
      callback = then;
    },
  };
}

async function scene(maxConcurrent: number) {
  const { world, at, steps } = countedWorld();
  const workspaces = memoryWorkspaces();
  const engine = await startEngine({
    world,
    workspaces,
    registry,
    settings: { maxConcurrent, rateLimitPerMin: 1000 },
    backends: [scriptedBackend(byAgent({ lead, child }))],
  });
  const root = await engine.start({ agent: "lead" });
  /** All that happens, if nobody interferes. */
  const play = async () => {
    engine.work();
    await world.clock.settle();
    await world.store.command(root.id, { type: "send", text: "psst", by: "ada" });
    await world.clock.advance(60);
    const [open] = (await engine.show(root.id)).approvals;
    const answer = { verdict: "allow", scope: "once" } as const;
    if (open !== undefined)
      await world.store.command(root.id, { type: "answer", approval: open.id, answer, by: "ada" });
    await world.clock.advance(1000);
  };
  return { world, engine, workspaces, root, play, at, steps };
}

/** How many steps there are to interfere with. */
async function countSteps(maxConcurrent: number): Promise<number> {
  const { engine, root, play, at, steps } = await scene(maxConcurrent);
  at(Number.POSITIVE_INFINITY, () => undefined);
  await play();
  await engine.until(root.id, "completed");
  const count = steps();
  await engine.engine.close();
  return count;
}

async function expectSound(world: TestWorld, tasks: readonly TaskView[], maxConcurrent: number): Promise<void> {
  const log = await wholeLog(world);
  expect(mostComputing(log)).toBeLessThanOrEqual(maxConcurrent);
  for (const task of tasks) expect(foldTask(task.id, log)).toEqual(task);
}

const slots = [1, 10];

describe("at every step", () => {
  test.each(slots)("a stop ends the whole tree, with %i slots", { timeout: 60_000 }, async (maxConcurrent) => {
    const steps = await countSteps(maxConcurrent);
    expect(steps).toBeGreaterThan(60); // those that are there, not fewer: each is a place to interfere
    for (let step = 1; step <= steps; step++) {
      const { world, engine, workspaces, root, play, at } = await scene(maxConcurrent);
      at(step, () => void engine.engine.stop(root.id, "ada"));
      await play();
      await world.clock.advance(60_000);
      const tasks = await allTasks(world);
      const { status } = await engine.show(root.id);
      expect(["cancelled", "completed"], `stopped at step ${step}`).toContain(status);
      const left = tasks.filter((task) => !hasEnded(task.status));
      expect(left, `what is left after step ${step}`).toEqual([]);
      expect(workspaces.open).toBe(0);
      await engine.engine.close();
      expect(world.clock.sleepers).toBe(0);
      await expectSound(world, tasks, maxConcurrent);
    }
  });

  test.each(slots)("a shutdown interrupts what runs, with %i slots", { timeout: 60_000 }, async (maxConcurrent) => {
    const steps = await countSteps(maxConcurrent);
    for (let step = 1; step <= steps; step++) {
      const { world, engine, workspaces, play, at } = await scene(maxConcurrent);
      let closing: Promise<void> | undefined;
      at(step, () => void (closing = engine.engine.close()));
      await play();
      await (closing ?? closeInTime(engine));
      const tasks = await allTasks(world);
      expect(
        tasks.filter((task) => isHeld(task.status)),
        `held after step ${step}`,
      ).toEqual([]);
      expect(workspaces.open).toBe(0);
      expect(world.clock.sleepers).toBe(0);
      await expectSound(world, tasks, maxConcurrent);
    }
  });

  test.each(slots)(
    "a crash leaves nothing held, and all can be run again, with %i slots",
    { timeout: 60_000 },
    async (maxConcurrent) => {
      const steps = await countSteps(maxConcurrent);
      for (let step = 1; step <= steps; step++) {
        const { world, engine, play, at } = await scene(maxConcurrent);
        at(step, () => engine.kill());
        await play();
        engine.kill();
        const next = await startEngine({
          world,
          registry,
          settings: { maxConcurrent, rateLimitPerMin: 1000 },
          backends: [scriptedBackend(byAgent({ lead: child, child }))],
        });
        next.work();
        await world.clock.advance(1000);
        expect(
          (await allTasks(world)).filter((task) => isHeld(task.status)),
          `held after step ${step}`,
        ).toEqual([]);
        for (const { id, status } of await allTasks(world)) {
          if (status === "interrupted") await next.engine.command(id, { type: "requeue", because: "retry", by: "ada" });
        }
        await world.clock.advance(1000);
        const tasks = await allTasks(world);
        expect(
          tasks.filter((task) => !hasEnded(task.status)),
          `left after step ${step}`,
        ).toEqual([]);
        expect(tasks.every(({ attempts }) => attempts.length <= 2)).toBe(true);
        await next.engine.close();
        await expectSound(world, tasks, maxConcurrent);
      }
    },
  );
});
