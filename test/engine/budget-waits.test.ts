// What an attempt that waits for room in a budget is left with, however its wait ends.
import { describe, expect, it } from "vitest";
import type { TaskView } from "../../src/schema/index.ts";
import { registryOf, type Script, scriptedBackend, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { allTasks, byAgent, obeys } from "./kit.ts";

const tokens = (count: number) => ({ microUsd: 0, tokens: count });

const named = async ({ world }: TestEngine, name: string): Promise<TaskView> => {
  const found = (await allTasks(world)).find(({ spec }) => spec.definition.name === name);
  if (found === undefined) throw new Error(`there is no task of "${name}"`);
  return found;
};

/** Both places are taken when what `second` waits for is settled: it has its room, and no place to go on in. */
async function withRoomAndNoPlace() {
  const [begun, taken, answered] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const leads: Script = async (_attempt, scope) => {
    for (const agent of ["first", "second"]) await scope.delegate({ agent, prompt: "x", background: true });
    begun?.resolve();
    await scope.hearNext();
    return { kind: "answered", answer: "led" };
  };
  const first: Script = async (attempt, scope) => {
    await begun?.promise;
    const call = await scope.reserve(tokens(100));
    if (call === false) throw new Error("there is no room for the call");
    taken?.resolve();
    await answered?.promise;
    await scope.append({ type: "settle", reservation: call, spent: tokens(10) });
    return obeys(attempt, scope);
  };
  const second: Script = async (_attempt, scope) => {
    await taken?.promise;
    await scope.reserve(tokens(90), { waitUntil: scope.signal });
    return { kind: "answered", answer: "went on" };
  };
  const engine = await startEngine({
    settings: { maxConcurrent: 2 },
    registry: registryOf(
      { name: "lead", description: "Leads.", backend: "scripted", max_tokens: 100, tools: ["Task"] },
      { name: "first", description: "Is first.", backend: "scripted" },
      { name: "second", description: "Is second.", backend: "scripted" },
      { name: "stranger", description: "Is of another tree.", backend: "scripted" },
    ),
    backends: [scriptedBackend(byAgent({ lead: leads, first, second, stranger: obeys }))],
  });
  await engine.start({ agent: "lead" });
  engine.work();
  await expect.poll(async () => (await named(engine, "second")).waitingOn).toBe("budget");
  await engine.start({ agent: "stranger" });
  await expect.poll(async () => (await named(engine, "stranger")).status).toBe("running");
  answered?.resolve();
  await engine.world.clock.settle();
  return engine;
}

describe("what was waited for, and not used", () => {
  it("is free again where a stop comes before a place to go on in", async () => {
    await using engine = await withRoomAndNoPlace();
    const { id } = await named(engine, "second");
    await engine.engine.stop(id, "ada");
    expect(await engine.until(id, "cancelled")).toMatchObject({ spent: tokens(0), bound: tokens(0) });
  });
});
