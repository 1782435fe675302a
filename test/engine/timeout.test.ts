import { describe, expect, test } from "vitest";
import type { AttemptScope } from "../../src/ports/index.ts";
import { answers, hangs, type Script, untilStopped } from "../../src/testing/index.ts";
import { closeInTime, door, expectStatus, withWorker } from "./kit.ts";

const agent = { timeout_mins: 1 };

describe("timeout", () => {
  test("a task fails when its time is over, with what it said last", async () => {
    const says: Script = async (attempt, scope) => {
      await scope.append({ type: "message.said", text: "nearly there" });
      return untilStopped()(attempt, scope);
    };
    await using engine = await withWorker([says], { agent });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.advance(59_999);
    await engine.until(task.id, "running");
    await engine.world.clock.advance(1);
    const view = await engine.until(task.id, "failed");
    expect(view.outcome).toEqual({
      status: "failed",
      reason: "timeout",
      message: "not done after 1 min",
      answer: "nearly there",
    });
    expect(view.attempts).toMatchObject([{ end: "failed", reason: "timeout" }]);
  });

  test("the caller's time goes before the agent's", async () => {
    await using engine = await withWorker([untilStopped()], { agent });
    const task = await engine.start({ agent: "worker", limits: { timeoutMs: 5000 } });
    engine.work();
    await engine.world.clock.advance(5000);
    await expectStatus(engine, task.id, "failed");
  });

  test("a backend that ignores it is left behind after two seconds more", async () => {
    await using engine = await withWorker([hangs()], { agent });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.advance(61_999);
    await engine.until(task.id, "running");
    await engine.world.clock.advance(1);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason: "timeout" });
  });

  test("time does not run while others have the place that it gave back for a while", async () => {
    const done = door();
    const waits: Script = async (attempt, scope) => {
      await scope.sleep(1_000, new AbortController().signal);
      return answers("done")(attempt, scope);
    };
    await using engine = await withWorker([waits, done.script], { agent, settings: { maxConcurrent: 1 } });
    const first = await engine.start({ agent: "worker" });
    const second = await engine.start({ agent: "worker", limits: { timeoutMs: 3_600_000 } });
    engine.work();
    await engine.until(first.id, "waiting");
    await engine.until(second.id, "running");
    await engine.world.clock.advance(600_000);
    expect((await engine.show(first.id)).status).toBe("waiting");
    done.open();
    await engine.until(first.id, "completed");
  });

  const waits: [on: string, wait: (scope: AttemptScope) => Promise<unknown>][] = [
    ["a message", (scope) => scope.hearNext()],
    ["a timer", (scope) => scope.sleep(3_600_000)],
  ];

  test.each(waits)("time does not run while the task waits for %s, and goes on where it stood", async (_, wait) => {
    const works: Script = async (attempt, scope) => {
      await engine.world.clock.sleep(40_000, scope.signal);
      await wait(scope);
      return untilStopped()(attempt, scope);
    };
    await using engine = await withWorker([works], { agent });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.advance(40_000);
    await engine.until(task.id, "waiting");
    await engine.world.clock.advance(3_600_000);
    await engine.engine.command(task.id, { type: "send", text: "go on", by: "ada" });
    await engine.until(task.id, "running");
    await engine.world.clock.advance(19_999);
    await engine.until(task.id, "running");
    await engine.world.clock.advance(1);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason: "timeout" });
  });

  test("time does not run while the task waits for its slot", async () => {
    const { script: busy, open } = door();
    const comesBack: Script = async (_attempt, scope) => {
      await scope.hearNext();
      return { kind: "answered", answer: "back" };
    };
    const options = { agent: { timeout_mins: 10 }, settings: { maxConcurrent: 1, maxRuntimeMins: 10 } };
    await using engine = await withWorker([comesBack, busy], options);
    const task = await engine.start({ agent: "worker", limits: { timeoutMs: 1000 } });
    engine.work();
    await engine.until(task.id, "waiting");
    const other = await engine.start({ agent: "worker" });
    await engine.until(other.id, "running");
    await engine.engine.command(task.id, { type: "send", text: "come back", by: "ada" });
    await engine.world.clock.advance(60_000);
    await engine.until(task.id, "waiting");
    open();
    await expectStatus(engine, task.id, "completed");
  });

  test("every attempt has its own time", async () => {
    const slow =
      (end: Script): Script =>
      async (attempt, scope) => {
        await engine.world.clock.sleep(40_000, scope.signal);
        return end(attempt, scope);
      };
    const scripts = [slow(() => Promise.reject(new Error("bang"))), slow(answers("done"))];
    await using engine = await withWorker(scripts, { agent: { ...agent, retry: { attempts: 2, on: ["crashed"] } } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.advance(80_000);
    await expectStatus(engine, task.id, "completed");
  });

  test("a task whose time is over is tried again where its agent says so", async () => {
    const retry = { attempts: 2, on: ["timeout" as const] };
    await using engine = await withWorker([untilStopped(), answers("in time")], { agent: { ...agent, retry } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.advance(60_000);
    expect((await engine.until(task.id, "completed")).attempts).toMatchObject([
      { reason: "timeout" },
      { end: "completed" },
    ]);
  });

  test("a clock on the wall that is set forward takes no time away", async () => {
    await using engine = await withWorker([hangs()], { agent });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    engine.world.clock.jump(3_600_000);
    await engine.world.clock.advance(59_999);
    await expectStatus(engine, task.id, "running");
    await closeInTime(engine);
  });

  test("an ended task leaves no timer behind", async () => {
    await using engine = await withWorker([answers("done")], { agent });
    await engine.run({ agent: "worker" });
    expect(engine.world.clock.sleepers).toBe(0);
  });
});
