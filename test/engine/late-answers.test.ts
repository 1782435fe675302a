// An answer that is there, while what the attempt had is let go.
import { expect, it } from "vitest";
import { memoryWorkspaces, type Script, testWorld } from "../../src/testing/index.ts";
import { withWorker } from "./kit.ts";

const NEVER = new AbortController().signal;

/** An agent that answers after 9.5 seconds, and whose workspace takes one more to be let go. */
async function answering(timeoutMs: number) {
  const world = testWorld();
  const inner = memoryWorkspaces();
  const workspaces = {
    ...inner,
    async prepare(...wish: Parameters<typeof inner.prepare>) {
      const prepared = await inner.prepare(...wish);
      const release = async () => {
        await world.clock.sleep(1_000, NEVER);
        return prepared.release();
      };
      return { ...prepared, release };
    },
  };
  const script: Script = async () => {
    await world.clock.sleep(9_500, NEVER);
    return { kind: "answered", answer: "done" };
  };
  const engine = await withWorker([script], { world, workspaces });
  const { id } = await engine.start({ agent: "worker", limits: { timeoutMs } });
  engine.work();
  await engine.until(id, "running");
  await world.clock.settle();
  await world.clock.advance(9_600);
  await world.clock.settle();
  return { engine, world, id };
}

it("is not lost where its time is up meanwhile", async () => {
  const { engine, world, id } = await answering(10_000);
  await using _engine = engine;
  await world.clock.advance(1_000);
  expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "done", recovered: null });
});

it("is not lost where the worker is shut down meanwhile", async () => {
  const { engine, world, id } = await answering(60_000);
  const closed = engine.engine.close();
  await world.clock.advance(1_000);
  await closed;
  expect(await world.store.task(id)).toMatchObject({ status: "completed", outcome: { answer: "done" } });
});

it("is kept where a stop comes meanwhile, and the task says that it was stopped", async () => {
  const { engine, world, id } = await answering(60_000);
  await using _engine = engine;
  await engine.engine.stop(id, "ada");
  await world.clock.advance(1_000);
  expect((await engine.until(id, "cancelled")).outcome).toMatchObject({ by: "ada", answer: "done" });
});
