import { describe, expect, it } from "vitest";
import { admitTask, applyControlEvent, applyTaskEvent, foldTask } from "../../src/domain/task-projection.ts";
import type { Envelope } from "../../src/schema/index.ts";
import { CHILD, controlEvents, ended, logOf, sessionEvents, TASK, taskEvents } from "./samples.ts";

const admitted = taskEvents["task.admitted"];
const started = taskEvents["attempt.started"];

/** Several logs as one, renumbered in the order in which they are given. */
const merged = (...envelopes: readonly Envelope[]): Envelope[] =>
  envelopes.map((envelope, index) => ({ ...envelope, position: index + 1 }));

function envelopeOfSession(): Envelope {
  const event = sessionEvents["session.opened"];
  return { position: 1, stream: `session:${event.session}`, seq: 1, at: 1, attempt: null, event };
}

describe("folding a log", () => {
  it("takes the streams of the task and leaves all others out", () => {
    const own = logOf([admitted, started, controlEvents["stop.requested"], ended("cancelled")]);
    const childs = logOf([admitted, started, taskEvents["turn.started"], ended("completed")], CHILD);
    const interleaved = own.flatMap((envelope, index) => [envelope, ...childs.slice(index, index + 1)]);
    const all = merged(envelopeOfSession(), ...interleaved);

    const view = foldTask(TASK, all);
    expect(view).toMatchObject({ id: TASK, status: "cancelled", stopRequestedBy: "ada", turns: 0, position: 8 });
    expect(foldTask(CHILD, all)).toMatchObject({ id: CHILD, status: "completed", stopRequestedBy: null, turns: 1 });
  });

  it("gives what applying the events one by one gives", () => {
    const events = [admitted, started, taskEvents["turn.started"], ended("completed")];
    const [first, ...rest] = logOf(events);
    const start = admitTask(TASK, admitted, { at: first?.at ?? 0, position: 1, attempt: null });
    const view = rest.reduce(
      (before, { at, position, attempt }) =>
        applyTaskEvent(before, events[position - 1] ?? started, { at, position, attempt }),
      start,
    );
    expect(foldTask(TASK, logOf(events))).toEqual(view);
  });

  it("starts on the first backend of the list", () => {
    const spec = { ...admitted.spec, backends: ["claude", "tape"] };
    expect(foldTask(TASK, logOf([{ ...admitted, spec }])).backend).toBe("claude");
  });

  it("takes the time and the place of the last event that concerns the task", () => {
    const view = foldTask(TASK, logOf([admitted, started, controlEvents["message.sent"]]));
    expect(view).toMatchObject({ createdAt: 1_001, updatedAt: 1_003, position: 3 });
  });

  it("ignores an answer to a question that was never asked", () => {
    const view = foldTask(TASK, logOf([admitted, started]));
    const after = applyControlEvent(view, controlEvents["answer.given"], { at: 5, position: 5, attempt: null });
    expect(after.approvals).toEqual([]);
  });
});

describe("a damaged log", () => {
  const strangers = logOf([admitted], CHILD);
  const unnumbered = logOf([admitted, started]).map((envelope) => ({ ...envelope, attempt: null }));

  it.each([
    ["begins without an admission", logOf([started]), /begins with "attempt\.started"/],
    ["admits a task twice", logOf([admitted, admitted]), /task\.admitted/],
    ["admits a running task again", logOf([admitted, started, admitted]), /task\.admitted/],
    [
      "speaks to a task before its admission",
      logOf([controlEvents["message.sent"], admitted]),
      /before it was admitted/,
    ],
    ["holds nothing of the task", strangers, /never admitted/],
    ["is empty", [], /never admitted/],
    ["goes on after the end", logOf([admitted, started, ended("completed"), taskEvents["turn.started"]]), /completed/],
    ["starts an attempt without its number", unnumbered, /without a number/],
  ])("that %s is refused", (_, log, message) => {
    const fold = () => foldTask(TASK, log);
    expect(fold).toThrow(expect.objectContaining({ name: "CadreError", code: "log.corrupt" }));
    expect(fold).toThrow(message);
  });
});
