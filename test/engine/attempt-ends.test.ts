// How an attempt can end by what its backend does, and what is taken from it afterwards.
import { describe, expect, test } from "vitest";
import { invalidInput } from "../../src/errors/index.ts";
import type { AttemptScope, BackendEnd } from "../../src/ports/index.ts";
import { answers, type Script } from "../../src/testing/index.ts";
import { factsOf, typesOf, wholeLog, withWorker } from "./kit.ts";

describe("attempt: ends that are no answer", () => {
  const throwing: [what: string, thrown: unknown, message: string][] = [
    ["an error", new TypeError("x is not a function"), "x is not a function"],
    ["something that is no error", "just text", "just text"],
    ["an error of ours", invalidInput("a.txt does not exist"), "a.txt does not exist"],
  ];

  test.each(throwing)("a backend that throws %s has crashed, and the reason is kept", async (_, thrown, message) => {
    await using engine = await withWorker([() => Promise.reject(thrown)]);
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toEqual({ status: "failed", reason: "crashed", message, answer: null });
    expect(task.attempts).toMatchObject([{ end: "failed", reason: "crashed" }]);
    expect(factsOf(await engine.log(task.id), "attempt.ended")).toMatchObject([{ reason: "crashed", message }]);
  });

  test.each(["", "  \n"])("an empty answer (%j) is no answer", async (answer) => {
    await using engine = await withWorker([answers(answer)]);
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "no_completion" });
  });

  test("an output without words is an answer", async () => {
    await using engine = await withWorker([answers("", { found: 3 })]);
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "", output: { found: 3 } });
  });

  test("silence is an answer of a backend that says it may be", async () => {
    const silent: Script = async () => ({ kind: "answered", answer: "", mayBeSilent: true });
    await using engine = await withWorker([silent]);
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ status: "completed", answer: "" });
  });

  test("a failure is kept as the backend said it, with what was said last", async () => {
    const gives: Script = async (_attempt, scope) => {
      await scope.append({ type: "message.said", text: "half of it is done" });
      return { kind: "failed", reason: "refused", message: "the model would not" };
    };
    await using engine = await withWorker([gives]);
    expect((await engine.run({ agent: "worker" })).outcome).toEqual({
      status: "failed",
      reason: "refused",
      message: "the model would not",
      answer: "half of it is done",
    });
  });

  test("a backend that ends while it still waits for something has crashed", async () => {
    const forgets: Script = async (_attempt, scope) => {
      void scope.ask({ kind: "question", title: "May I?", body: "May I?" }).catch(() => undefined);
      await engine.world.clock.settle();
      return { kind: "answered", answer: "I did not wait" };
    };
    await using engine = await withWorker([forgets, answers("next")], { settings: { maxConcurrent: 1 } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.world.clock.settle();
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({
      reason: "crashed",
      message: "the backend ended while it still waited for something",
    });
    const next = await engine.start({ agent: "worker" });
    await engine.until(next.id, "completed");
  });
});

describe("attempt: after its end", () => {
  async function endedScope(end: () => Promise<BackendEnd>) {
    let kept: AttemptScope | undefined;
    const keeps: Script = async (_attempt, scope) => {
      kept = scope;
      return end();
    };
    const engine = await withWorker([keeps]);
    const task = await engine.run({ agent: "worker" });
    if (kept === undefined) throw new Error("the backend was not started");
    return { engine, task, scope: kept };
  }

  const ends: [how: string, end: () => Promise<BackendEnd>][] = [
    ["answered", async () => ({ kind: "answered", answer: "done" })],
    ["failed", async () => ({ kind: "failed", reason: "backend_error", message: "no" })],
    ["crashed", () => Promise.reject(new Error("bang"))],
  ];

  test.each(ends)("nothing more is taken from a backend that has %s", async (_, end) => {
    const { engine, task, scope } = await endedScope(end);
    await using _engine = engine;
    const before = await wholeLog(engine.world);
    expect(scope.signal.aborted).toBe(true);
    const call = { tool: "Read", effect: "read", input: {} } as const;
    await expect(scope.append({ type: "message.said", text: "one more thing" })).rejects.toThrow(
      /the attempt is over|no longer holds the task/,
    );
    await expect(scope.permit(call)).rejects.toThrow(/the attempt is over|no longer holds the task/);
    await expect(scope.ask({ kind: "question", title: "?", body: "?" })).rejects.toThrow(
      /the attempt is over|no longer holds the task/,
    );
    await expect(scope.reserve({ microUsd: 1, tokens: 1 })).rejects.toMatchObject({ code: "attempt.stale" });
    await expect(scope.sleep(1000)).rejects.toThrow(/the attempt is over|no longer holds the task/);
    await expect(scope.hearNext()).rejects.toThrow(/the attempt is over|no longer holds the task/);
    await expect(scope.delegate({ agent: "worker", prompt: "for me" })).rejects.toThrow(
      /the attempt is over|no longer holds the task/,
    );
    expect(await wholeLog(engine.world)).toEqual(before);
    expect(typesOf(await engine.log(task.id)).at(-1)).toBe("task.ended");
  });
});
