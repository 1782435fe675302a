import { describe, expect, test } from "vitest";
import type { Heard } from "../../src/ports/index.ts";
import { unheardWords } from "../../src/domain/summaries.ts";
import type { TaskId } from "../../src/schema/index.ts";
import { answers, type Script, type TestEngine } from "../../src/testing/index.ts";
import { factsOf, withWorker } from "./kit.ts";

const send = async (engine: TestEngine, task: TaskId, text: string, by = "ada") => {
  const answer = await engine.engine.command(task, { type: "send", text, by });
  await engine.world.clock.settle();
  return answer;
};

/** Hears so many messages, one by one. */
function hears(count: number): { script: Script; heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    script: async (_attempt, scope) => {
      while (heard.length < count) heard.push((await scope.hearNext()).text);
      return { kind: "answered", answer: "heard" };
    },
  };
}

describe("steer", () => {
  test("messages to a task that is queued and to one that runs are each heard once, in order", async () => {
    const { script, heard } = hears(4);
    await using engine = await withWorker([script]);
    const task = await engine.start({ agent: "worker" });
    await send(engine, task.id, "one");
    await send(engine, task.id, "two");
    engine.work();
    await engine.until(task.id, "waiting");
    await send(engine, task.id, "three");
    await send(engine, task.id, "four");
    await engine.until(task.id, "completed");
    expect(heard).toEqual(["one", "two", "three", "four"]);
    const received = factsOf(await engine.log(task.id), "message.received");
    expect(received.map(({ text, by }) => [text, by])).toEqual(heard.map((text) => [text, "ada"]));
  });

  test("what was sent since the last time is heard at once, with who sent it", async () => {
    const rounds: (readonly Heard[])[] = [];
    const turns: Script = async (_attempt, scope) => {
      for (let turn = 0; turn < 3; turn++) {
        rounds.push(await scope.hear());
        await scope.sleep(1000);
      }
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([turns]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "waiting");
    await send(engine, task.id, "left", "ada");
    await send(engine, task.id, "right", "grace");
    await engine.world.clock.advance(3000);
    await engine.until(task.id, "completed");
    const both = [
      { text: "left", by: "ada" },
      { text: "right", by: "grace" },
    ];
    expect(rounds).toEqual([[], both, []]);
  });

  test("waiting for one and asking for all take from the same line", async () => {
    const heard: string[][] = [];
    const mixes: Script = async (_attempt, scope) => {
      heard.push([(await scope.hearNext()).text]);
      heard.push((await scope.hear()).map(({ text }) => text));
      heard.push((await scope.hear()).map(({ text }) => text));
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([mixes]);
    const task = await engine.start({ agent: "worker" });
    for (const text of ["one", "two", "three"]) await send(engine, task.id, text);
    engine.work();
    await engine.until(task.id, "completed");
    expect(heard).toEqual([["one"], ["two", "three"], []]);
  });

  test("a task that waits for a message holds no slot", async () => {
    const { script, heard } = hears(1);
    await using engine = await withWorker([script, answers("meanwhile")], { settings: { maxConcurrent: 1 } });
    const task = await engine.start({ agent: "worker" });
    const other = await engine.start({ agent: "worker" });
    engine.work();
    expect(await engine.until(task.id, "waiting")).toMatchObject({ waitingOn: "message" });
    await engine.until(other.id, "completed");
    await send(engine, task.id, "go on");
    await engine.until(task.id, "completed");
    expect(heard).toEqual(["go on"]);
  });

  test("a message that is there already is heard without waiting", async () => {
    await using engine = await withWorker([hears(1).script]);
    const task = await engine.start({ agent: "worker" });
    await send(engine, task.id, "already here");
    engine.work();
    await engine.until(task.id, "completed");
    expect(factsOf(await engine.log(task.id), "attempt.suspended")).toEqual([]);
  });

  test("what one attempt has heard is not heard again by the next, and what it has not is", async () => {
    const heard: string[][] = [];
    const keepsAll: Script = async (_attempt, scope) => {
      heard.push((await scope.hear()).map(({ text }) => text));
      await send(engine, task.id, `after attempt ${heard.length}`);
      throw new Error("bang");
    };
    const agent = { retry: { attempts: 3, on: ["crashed" as const] } };
    await using engine = await withWorker([keepsAll, keepsAll, keepsAll], { agent });
    const task = await engine.start({ agent: "worker" });
    await send(engine, task.id, "before");
    engine.work();
    for (let attempt = 0; attempt < 3; attempt++) await engine.world.clock.settle();
    await engine.until(task.id, "failed");
    expect(heard).toEqual([["before"], ["after attempt 1"], ["after attempt 2"]]);
  });

  test("what was sent before a stop is heard by the attempt after it", async () => {
    const { script, heard } = hears(1);
    const busy: Script = (_attempt, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await using engine = await withWorker([busy, script]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await send(engine, task.id, "unheard");
    await engine.engine.stop(task.id, "ada");
    await engine.until(task.id, "cancelled");
    await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    await engine.until(task.id, "completed");
    expect(heard).toEqual(["unheard"]);
  });

  test("messages of many who send at once are all heard, each once", async () => {
    const { script, heard } = hears(50);
    await using engine = await withWorker([script]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const sent = Array.from({ length: 50 }, (_, index) => `message ${index}`);
    await Promise.all(sent.map((text) => engine.engine.command(task.id, { type: "send", text, by: "ada" })));
    await engine.until(task.id, "completed");
    expect(heard).toEqual(sent);
  });

  test("of more messages than one page holds, all that nobody has heard at the end are told", async () => {
    const sent = Array.from({ length: 120 }, (_, index) => `message ${index}`);
    await using engine = await withWorker([answers("done")]);
    const task = await engine.start({ agent: "worker" });
    for (const text of sent) await engine.engine.command(task.id, { type: "send", text, by: "ada" });
    engine.work();
    await engine.until(task.id, "completed");
    const told = unheardWords(await engine.show(task.id));
    expect(told).toEqual(sent.map((text) => `a message from ada came too late to be heard: ${text}`));
  });

  test("more messages than one page holds are all heard", async () => {
    const { script, heard } = hears(250);
    await using engine = await withWorker([script]);
    const task = await engine.start({ agent: "worker" });
    const sent = Array.from({ length: 250 }, (_, index) => `message ${index}`);
    await Promise.all(sent.map((text) => engine.engine.command(task.id, { type: "send", text, by: "ada" })));
    engine.work();
    await engine.until(task.id, "completed");
    expect(heard).toEqual(sent);
  });

  test("a task that has ended takes no message", async () => {
    await using engine = await withWorker([answers("done")]);
    const task = await engine.run({ agent: "worker" });
    expect(await send(engine, task.id, "too late")).toEqual({
      kind: "refused",
      refusal: { why: "state", status: "completed" },
    });
  });
});
