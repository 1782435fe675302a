// Trees of tasks that need more attempts than there are slots: a parent that waits must not hold one.
import { describe, expect, test } from "vitest";
import { answers, memoryWorkspaces, registryOf, type Script, startEngine } from "../../src/testing/index.ts";
import { allTasks, door, mostComputing, typesOf, wholeLog, withWorker } from "./kit.ts";

const chain = (depth: number) =>
  Array.from({ length: depth }, (_, level) => ({
    name: `level-${level}`,
    description: "Hands on.",
    tape:
      level === depth - 1
        ? [{ answer: "from the bottom" }]
        : [{ delegate: `level-${level + 1}`, prompt: "go on" }, { answer: `from level ${level}` }],
  }));

describe("dispatch: trees", () => {
  test("a tree that is deeper than there are slots completes: the parent waits, the child runs", async () => {
    await using engine = await startEngine({
      registry: registryOf(...chain(4)),
      settings: { maxConcurrent: 1, maxDepth: 3 },
    });
    const root = await engine.run({ agent: "level-0" });
    expect(root).toMatchObject({ status: "completed", outcome: { answer: "from level 0" } });
    const tasks = await allTasks(engine.world);
    expect(tasks.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "completed"));
    expect(mostComputing(await wholeLog(engine.world))).toBe(1);
    const parentLog = typesOf(await engine.log(root.id));
    expect(parentLog.filter((type) => type.startsWith("attempt."))).toEqual([
      "attempt.started",
      "attempt.prepared",
      "attempt.suspended",
      "attempt.resumed",
      "attempt.ended",
    ]);
  });

  test("a tree of three levels and forty tasks completes with two slots, and never do more than two compute", async () => {
    const delegates = (agent: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ delegate: agent, prompt: `part ${index}` }));
    const workspaces = memoryWorkspaces({ "a.txt": "text" });
    await using engine = await startEngine({
      workspaces,
      settings: { maxConcurrent: 2, rateLimitPerMin: 1000 },
      registry: registryOf(
        { name: "root", description: "Leads.", tape: [{ together: delegates("lead", 3) }, { answer: "all done" }] },
        {
          name: "lead",
          description: "Leads some.",
          tape: [
            { say: "looking" },
            { together: [...delegates("leaf", 6), { read: "a.txt" }] },
            { together: delegates("leaf", 6) },
            { answer: "some done" },
          ],
        },
        { name: "leaf", description: "Works.", tape: [{ say: "hm" }, { pause_ms: 50 }, { answer: "done" }] },
      ),
    });
    const root = await engine.start({ agent: "root" });
    engine.work();
    await engine.world.clock.advance(60_000);
    await engine.until(root.id, "completed");

    const tasks = await allTasks(engine.world);
    expect(tasks).toHaveLength(40);
    expect(tasks.filter(({ status }) => status !== "completed")).toEqual([]);
    expect(tasks.every(({ attempts }) => attempts.length === 1)).toBe(true);
    expect(mostComputing(await wholeLog(engine.world))).toBe(2);
    expect(workspaces.open).toBe(0);
  });

  test("an attempt that wants its slot back gets it before new work, however urgent that is", async () => {
    const { script: busy, open } = door();
    const back: Script = async (_attempt, scope) => {
      await scope.hearNext();
      return { kind: "answered", answer: "back again" };
    };
    await using engine = await withWorker([back, busy, answers("new")], { settings: { maxConcurrent: 1 } });
    const waiting = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(waiting.id, "waiting");
    const running = await engine.start({ agent: "worker" });
    await engine.until(running.id, "running");
    const urgent = await engine.start({ agent: "worker", priority: 100 });
    await engine.engine.command(waiting.id, { type: "send", text: "come back", by: "ada" });
    await engine.until(waiting.id, "waiting");
    open();
    await engine.until(urgent.id, "completed");
    const resumed = (await engine.log(waiting.id)).find(({ event }) => event.type === "attempt.resumed");
    const started = (await engine.log(urgent.id)).find(({ event }) => event.type === "attempt.started");
    expect(resumed?.position).toBeLessThan(started?.position ?? 0);
  });
});
