import { describe, expect, test } from "vitest";
import type { Answered, BackendEnd, Gate, GateVerdict } from "../../src/ports/index.ts";
import { answers, type Script } from "../../src/testing/index.ts";
import { factsOf, withWorker } from "./kit.ts";

const gate = (name: string, check: (answer: string) => GateVerdict): Gate => ({
  name,
  check: async (_task, { answer }) => check(answer),
});

const passes = (independent: boolean): GateVerdict => ({ passed: true, independent });
const fails = (feedback: string): GateVerdict => ({ passed: false, reason: "gate_failed", feedback });

/** Content only with this very answer. */
const wants = (wanted: string): Gate =>
  gate("taste", (answer) => (answer === wanted ? passes(false) : fails(`say ${wanted}`)));

/** Answers once, and again for every feedback; keeps what it was told, and how often it was closed. */
function reviser(texts: readonly string[], complaint?: string) {
  const heard: string[] = [];
  let closed = 0;
  const answer = (index: number): Answered => ({
    kind: "answered",
    answer: texts[index] ?? "no more",
    revise: async (feedback): Promise<BackendEnd> => {
      heard.push(feedback);
      return answer(index + 1);
    },
    close: async () => {
      closed++;
      return complaint;
    },
  });
  const script: Script = async () => answer(0);
  return { script, heard, closed: () => closed };
}

describe("finish: gates → outcome", () => {
  const worth: [what: string, gates: readonly Gate[], evidence: string][] = [
    ["without gates an answer is claimed", [], "claimed"],
    ["a gate that the agent could have prepared makes it checked", [gate("a", () => passes(false))], "checked"],
    ["a gate that it could not makes it verified", [gate("a", () => passes(true))], "verified"],
    ["one of each makes it checked", [gate("a", () => passes(true)), gate("b", () => passes(false))], "checked"],
  ];

  test.each(worth)("%s", async (_, gates, evidence) => {
    await using engine = await withWorker([answers("done")], { gates });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "completed", evidence });
    const names = gates.map(({ name }) => name);
    expect(factsOf(await engine.log(task.id), "gate.checked").map((checked) => checked.gate)).toEqual(names);
  });

  test("gates are asked in order, up to the first that is not content", async () => {
    const gates = [gate("a", () => passes(true)), gate("b", () => fails("too short")), gate("c", () => passes(true))];
    await using engine = await withWorker([answers("done")], { gates });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "gate_failed", message: "too short" });
    expect(factsOf(await engine.log(task.id), "gate.checked")).toEqual([
      { type: "gate.checked", gate: "a", passed: true, feedback: null },
      { type: "gate.checked", gate: "b", passed: false, feedback: "too short" },
    ]);
  });

  test("an output that does not fit fails as such", async () => {
    const verdict = { passed: false, reason: "invalid_output", feedback: "there is no output" } as const;
    await using engine = await withWorker([answers("done")], { gates: [gate("a", () => verdict)] });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "invalid_output", message: "there is no output" });
  });

  test("a gate is given the task, the answer, the output and the workspace", async () => {
    const given: unknown[] = [];
    const looks: Gate = {
      name: "looks",
      async check({ task, workspace }, claim) {
        given.push(task.spec.prompt, claim, await workspace.files.read("a.txt").catch(() => "no file"));
        return passes(true);
      },
    };
    await using engine = await withWorker([answers("done", [1, 2])], { gates: [looks] });
    await engine.run({ agent: "worker", prompt: "count" });
    expect(given).toEqual(["count", { answer: "done", output: [1, 2] }, "no file"]);
  });

  test("a gate that cannot be run has not passed", async () => {
    const broken = gate("broken", () => {
      throw new Error("the checker is not installed");
    });
    await using engine = await withWorker([answers("done")], { gates: [broken] });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({
      status: "failed",
      message: expect.stringContaining("the checker is not installed"),
    });
  });
});

describe("finish: revisions", () => {
  test("an agent that can go on is given the feedback, and its next answer counts", async () => {
    const { script, heard, closed } = reviser(["one", "two"]);
    await using engine = await withWorker([script], { gates: [wants("two")] });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "two", evidence: "checked" });
    expect(heard).toEqual(["say two"]);
    expect(closed()).toBe(1);
    expect(task.attempts).toHaveLength(1);
    expect(factsOf(await engine.log(task.id), "gate.checked").map(({ passed }) => passed)).toEqual([false, true]);
  });

  test.each([0, 1, 2])("feedback is given %i times and no more, where that is the setting", async (maxRevisions) => {
    const { script, heard, closed } = reviser(["one", "two", "three", "four"]);
    await using engine = await withWorker([script], { gates: [wants("four")], settings: { maxRevisions } });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "gate_failed", message: "say four" });
    expect(heard).toHaveLength(maxRevisions);
    expect(closed()).toBe(1);
  });

  test("an agent that fails while it revises has failed, with its own reason", async () => {
    const script: Script = async () => ({
      kind: "answered",
      answer: "one",
      revise: async () => ({ kind: "failed", reason: "max_turns", message: "no turn left" }),
    });
    await using engine = await withWorker([script], { gates: [wants("two")] });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "max_turns", message: "no turn left" });
  });

  test("an agent that breaks while it revises has crashed", async () => {
    const script: Script = async () => ({
      kind: "answered",
      answer: "one",
      revise: () => Promise.reject(new Error("bang")),
    });
    await using engine = await withWorker([script], { gates: [wants("two")] });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "crashed", message: "bang" });
  });

  test("an agent that does not end its revision is stopped like any other", async () => {
    const script: Script = async () => ({
      kind: "answered",
      answer: "one",
      revise: () => new Promise(() => undefined),
    });
    await using engine = await withWorker([script], { gates: [wants("two")] });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(2000);
    expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ how: "forced" });
  });
});

describe("finish: the backend's last word", () => {
  test("a complaint when it is closed turns the answer into a failure", async () => {
    const { script } = reviser(["done"], "the process died");
    await using engine = await withWorker([script]);
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "backend_error", message: "the process died" });
  });

  test("an error when it is closed does so too", async () => {
    const script: Script = async () => ({
      kind: "answered",
      answer: "done",
      close: () => Promise.reject(new Error("pipe broke")),
    });
    await using engine = await withWorker([script]);
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "failed", reason: "backend_error", message: "pipe broke" });
  });

  test("a gate's complaint goes before the backend's", async () => {
    const { script } = reviser(["one", "two", "three"], "steps are left");
    await using engine = await withWorker([script], { gates: [wants("four")] });
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ reason: "gate_failed", message: "say four" });
  });

  test("an answer without words is closed too", async () => {
    const { script, closed } = reviser([""]);
    await using engine = await withWorker([script]);
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ reason: "no_completion" });
    expect(closed()).toBe(1);
  });
});
