// A tape is also an expectation: what it was not written for fails, and so does what it says and nobody asked.
import { describe, expect, test } from "vitest";
import type { Gate } from "../../src/ports/index.ts";
import type { TapeStep } from "../../src/schema/index.ts";
import { memoryWorkspaces, registryOf, startEngine } from "../../src/testing/index.ts";
import { factsOf } from "../engine/kit.ts";

const play = async (tape: readonly TapeStep[], gates: readonly Gate[] = [], agent: object = {}) => {
  await using engine = await startEngine({
    gates,
    workspaces: memoryWorkspaces({ "a.txt": "the old text" }),
    registry: registryOf({ name: "player", description: "Plays.", tape: [...tape], ...agent }),
  });
  const task = await engine.start({ agent: "player" });
  await engine.engine.command(task.id, { type: "send", text: "go right", by: "ada" });
  engine.work();
  await engine.world.clock.settle();
  return { task: await engine.show(task.id), log: await engine.log(task.id) };
};

const wants = (word: string): Gate => ({
  name: "word",
  check: async (_task, { answer }) =>
    answer.includes(word)
      ? { passed: true, independent: true }
      : { passed: false, reason: "gate_failed", feedback: `it must say ${word}` },
});

const done: TapeStep = { answer: "done" };

describe("a tape fails when something is not as it was written for", () => {
  const mismatches: [what: string, tape: readonly TapeStep[], message: string][] = [
    ["a file holds something else", [{ read: "a.txt", expect: "new" }, done], 'the tape expects a.txt to hold "new"'],
    ["a file is not there", [{ read: "b.txt", expect: "new" }, done], 'the tape expects b.txt to hold "new"'],
    [
      "a file that is read with others holds something else",
      [
        {
          together: [
            { read: "a.txt", expect: "old" },
            { read: "a.txt", expect: "new" },
          ],
        },
        done,
      ],
      'the tape expects a.txt to hold "new"',
    ],
    ["another message is heard", [{ hear: "left" }, done], 'the tape expects to hear "left", and heard "go right"'],
    [
      "feedback is expected before an answer",
      [{ feedback: "x" }, done],
      "the tape expects feedback before there was an answer",
    ],
  ];

  test.each(mismatches)("when %s", async (_, tape, message) => {
    const { task } = await play(tape);
    expect(task.outcome).toMatchObject({ status: "failed", reason: "backend_error", message });
  });

  test("when it ends without an answer", async () => {
    const { task } = await play([{ say: "hm" }]);
    expect(task.outcome).toMatchObject({ status: "failed", reason: "no_completion", answer: "hm" });
  });

  const unused: [count: number, tape: readonly TapeStep[]][] = [
    [1, [done, { say: "unused" }]],
    [2, [done, { say: "unused" }, done]],
  ];

  test.each(unused)("when %i of its steps are left over", async (count, tape) => {
    const { task } = await play(tape);
    const message = expect.stringMatching(new RegExp(`${count} step.*not played`));
    expect(task.outcome).toMatchObject({ status: "failed", reason: "backend_error", message });
  });

  test("when an agent with a tape's backend has no tape", async () => {
    await using engine = await startEngine({
      registry: registryOf({ name: "player", description: "Plays.", backend: "tape" }),
    });
    expect((await engine.run({ agent: "player" })).outcome).toMatchObject({
      reason: "backend_error",
      message: '"player" has no tape to play',
    });
  });
});

describe("a tape and a gate's feedback", () => {
  test("a step for the feedback goes on to the next answer", async () => {
    const { task, log } = await play(
      [{ answer: "tea" }, { feedback: "must say coffee" }, { answer: "coffee" }],
      [wants("coffee")],
    );
    expect(task.outcome).toMatchObject({ status: "completed", answer: "coffee", evidence: "verified" });
    expect(factsOf(log, "gate.checked").map(({ passed }) => passed)).toEqual([false, true]);
  });

  test("feedback without a step for it fails", async () => {
    const { task } = await play([{ answer: "tea" }], [wants("coffee")]);
    expect(task.outcome).toMatchObject({
      reason: "backend_error",
      message: "the tape has no step for this feedback: it must say coffee",
    });
  });

  test("other feedback than the step says fails", async () => {
    const { task } = await play([{ answer: "tea" }, { feedback: "too long" }, { answer: "coffee" }], [wants("coffee")]);
    expect(task.outcome).toMatchObject({
      reason: "backend_error",
      message: 'the tape expects the feedback "too long", and got: it must say coffee',
    });
  });

  test("a step for feedback that never comes is left over", async () => {
    const { task } = await play([{ answer: "coffee" }, { feedback: "x" }, { answer: "y" }], [wants("coffee")]);
    expect(task.outcome).toMatchObject({ reason: "backend_error", message: expect.stringContaining("not played") });
  });

  test("a tape that does not learn is asked so often and no more", async () => {
    const again: TapeStep[] = [{ feedback: "coffee" }, { answer: "tea" }];
    const { task, log } = await play([{ answer: "tea" }, ...again, ...again], [wants("coffee")]);
    expect(task.outcome).toMatchObject({ status: "failed", reason: "gate_failed", message: "it must say coffee" });
    expect(factsOf(log, "gate.checked")).toHaveLength(3);
  });
});

describe("a tape is held to its number of turns", () => {
  const talk: TapeStep[] = [{ say: "one" }, { say: "two" }, done];

  test("as many turns as are allowed complete", async () => {
    const { task } = await play(talk, [], { max_turns: 3 });
    expect(task).toMatchObject({ status: "completed", turns: 3 });
  });

  test("one more fails, and what was said is kept", async () => {
    const { task } = await play(talk, [], { max_turns: 2 });
    expect(task.outcome).toMatchObject({
      status: "failed",
      reason: "max_turns",
      message: "not done after 2 turns",
      answer: "two",
    });
    expect(task.turns).toBe(2);
  });

  test("the turns of a revision count too", async () => {
    const tape: TapeStep[] = [{ answer: "tea" }, { feedback: "coffee" }, { say: "hm" }, { answer: "coffee" }];
    const { task } = await play(tape, [wants("coffee")], { max_turns: 2 });
    expect(task.outcome).toMatchObject({ reason: "max_turns" });
  });
});
