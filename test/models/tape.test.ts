// A tape as a model of our own loop: its replies are scripted, what they lead to is real, and it is strict.
import { describe, expect, test } from "vitest";
import { tapeModel } from "../../src/models/tape/tape-model.ts";
import { tapeReplies } from "../../src/models/tape/tape-replies.ts";
import type { ModelMessage } from "../../src/ports/index.ts";
import { type JsonObject, Tape } from "../../src/schema/index.ts";
import { testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop } from "../loop/kit.ts";
import { read } from "./lines.ts";

const tapeOf = (...steps: readonly unknown[]) => Tape.parse(steps);
const user = (text: string): ModelMessage => ({ role: "user", text });
const said = (text: string): ModelMessage => ({ role: "assistant", text, calls: [] });
const ask = (tape: Tape, messages: readonly ModelMessage[], tools: string[] = []) =>
  read(
    tapeModel({}, tape).stream(
      {
        messages,
        tools: tools.map((name) => ({ name, description: "", inputSchema: {} })),
        maxOutputTokens: 10,
      },
      new AbortController().signal,
    ),
  );

async function run(tape: readonly JsonObject[], agent: Partial<AgentWish> = {}) {
  const tools = [fakeTool("Read", () => ({ ok: true, text: "red door" })), fakeTool("Bash", undefined, "exec")];
  const agents = [{ name: "agent", description: "x", permission_mode: "auto" as const, ...agent }];
  const models = tapeModel({ output: agents[0]?.output }, tapeOf(...tape));
  await using engine = await startLoop({ models, agents, tools });
  const task = await engine.run({ agent: "agent" });
  return { task, tools };
}

describe("replies of a tape", () => {
  test("what is said goes with the calls that follow, and each of those is a reply", () => {
    const replies = tapeReplies(
      tapeOf(
        { say: "I look." },
        { read: "a.txt", expect: "door" },
        {
          together: [
            { call: "Bash", input: { command: "ls" } },
            { write: "b.txt", content: "x" },
          ],
        },
        { delegate: "scout", prompt: "look", background: true },
        { answer: "done" },
      ),
    );
    expect(replies).toMatchObject([
      { text: "I look.", calls: [{ tool: "Read", input: { file_path: "a.txt" }, expect: "door" }] },
      { calls: [{ tool: "Bash" }, { tool: "Write", input: { file_path: "b.txt", content: "x" } }] },
      { calls: [{ tool: "Task", input: { subagent_type: "scout", prompt: "look", run_in_background: true } }] },
      { calls: [], answer: { answer: "done" } },
    ]);
  });

  test("its place is how often it was heard: an attempt that goes on finds it again", async () => {
    const tape = tapeOf({ say: "one" }, { say: "two" }, { say: "three" });
    const exits = ["complete_task"];
    expect((await ask(tape, [user("go")], exits)).text).toBe("one");
    const later = [user("go"), said("one"), user("on"), said("two"), user("on")];
    expect((await ask(tape, later, exits)).text).toBe("three");
  });

  test("costs nothing, and that is known", () => {
    const usage = { inputTokens: 9, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    expect(tapeModel({}, []).priceOf(usage)).toEqual({ microUsd: 0, tokens: 0 });
  });
});

describe("a tape on our loop", () => {
  test.each([
    [[{ say: "hm" }]],
    [[{ say: "one" }, { say: "two" }, { read: "a.txt", expect: "nothere" }, { answer: "red" }]],
  ])("that only says something has no answer: %j", async (tape) => {
    const { task } = await run(tape);
    const message = "the tape ended without an answer";
    expect(task.outcome).toMatchObject({ status: "failed", reason: "backend_error", message });
  });

  test("does what it says, with real tools", async () => {
    const { task, tools } = await run([{ say: "I look." }, { read: "a.txt", expect: "door" }, { answer: "red" }]);
    expect(task.outcome).toMatchObject({ status: "completed", answer: "red", recovered: null });
    expect(tools[0]?.ran).toEqual([{ file_path: "a.txt" }]);
  });

  test("ends by complete_task where the agent has to", async () => {
    const output = { name: "report", schema: { type: "object", required: ["n"] } };
    const { task } = await run([{ answer: "three", output: { n: 3 } }], { output });
    expect(task.outcome).toMatchObject({ status: "completed", output: { n: 3 }, recovered: null });
  });

  test.each([
    [
      "a result that is not as it says",
      [{ read: "a.txt", expect: "blue" }, { answer: "x" }],
      /expects Read to return "blue".*red door/,
    ],
    ["a word that was not heard", [{ read: "a.txt" }, { hear: "faster" }, { answer: "x" }], /expects to hear "faster"/],
    ["a step that is for the other kind of tape", [{ hang: true }], /"hang" is a step for the tape backend/],
    ["its end", [{ read: "a.txt" }], /the tape has no reply left/],
  ])("fails at %s", async (_what, tape, message) => {
    const { task } = await run(tape);
    expect(task.outcome).toMatchObject({
      status: "failed",
      reason: "backend_error",
      message: expect.stringMatching(message) as string,
    });
  });

  test.each([
    ["refused", "refused"],
    ["backend_error", "backend_error"],
  ])("can fail on purpose: %s", async (fail, reason) => {
    const { task } = await run([{ fail, message: "as written" }]);
    expect(task.outcome).toMatchObject({ status: "failed", reason, message: "as written" });
  });

  test("goes on after a crash where it was", async () => {
    const world = testWorld();
    const steps: unknown[] = [];
    const tape = tapeOf(...Array.from({ length: 5 }, (_, step) => ({ call: "Step", input: { step } })), {
      answer: "all five",
    });
    const stuck = fakeTool(
      "Step",
      async (input) => {
        steps.push(input);
        return steps.length === 3 ? new Promise(() => undefined) : { ok: true, text: "ok" };
      },
      "none",
    );
    const first = await startLoop({ world, models: tapeModel({}, tape), tools: [stuck] });
    const task = await first.start({ agent: "agent" });
    first.work();
    for (let round = 0; round < 2_000 && steps.length < 3; round++) await world.clock.settle();
    first.kill();
    const step = fakeTool("Step", (input) => (steps.push(input), { ok: true, text: "ok" }), "none");
    await using second = await startLoop({ world, models: tapeModel({}, tape), tools: [step] });
    second.work();
    expect((await second.until(task.id, "completed")).outcome).toMatchObject({ answer: "all five" });
    expect(steps).toEqual([0, 1, 2, 3, 4].map((n) => ({ step: n })));
  });

  test("goes on at its next reply where what was before was summed up", async () => {
    const steps: unknown[] = [];
    const long = fakeTool("Step", (input) => (steps.push(input), { ok: true, text: "word ".repeat(800) }), "none");
    const tape = tapeOf(
      { say: "first words" },
      ...Array.from({ length: 8 }, (_, step) => ({ call: "Step", input: { step }, expect: "word" })),
      { answer: "all eight" },
    );
    const models = { ...tapeModel({}, tape), contextTokens: 6_000, maxOutputTokens: 500 };
    await using engine = await startLoop({ models, tools: [long] });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "all eight" });
    expect(steps).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({ step: n })));
    const summaries = factsOf(await engine.log(task.id), "history.compacted").map(({ summary }) => summary);
    expect(summaries.length).toBeGreaterThan(1);
    // A line for each thing that was done: the tape has no words for it, and its first ones are not a summary.
    for (const summary of summaries) expect(summary).toMatch(/^- (?:Agent|Step)/);
  });
});
