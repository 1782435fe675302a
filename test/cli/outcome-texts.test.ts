// How the end of a task is told: an answer that was only saved never looks like a clean one, and nothing is said twice.
import { describe, expect, test } from "vitest";
import { colorsFor } from "../../src/cli/render/colors.ts";
import { eventLine } from "../../src/cli/render/events.ts";
import { outcomeText } from "../../src/cli/render/tasks.ts";
import { newsOf } from "../../src/domain/reminders.ts";
import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { breadcrumbOf, notDoneAfter, summarize } from "../../src/domain/summaries.ts";
import { transcriptText } from "../../src/domain/transcript.ts";
import type { Envelope, Outcome, TaskEvent } from "../../src/schema/index.ts";
import { endLine } from "../../src/stores/state-files/event-lines.ts";
import { attemptEndLines } from "../../src/stores/state-files/subagent-lines.ts";
import { logOf, outcomes, sessionEvents, taskAfter, taskEvents } from "../domain/samples.ts";

const { completed, failed, cancelled } = outcomes;
const saved = { ...completed, recovered: { limit: "max_turns" } } as const satisfies Outcome;
const line = (event: TaskEvent): string | null => eventLine({ event } as Envelope, colorsFor(false));
const endedAs = (outcome: Outcome) => [taskEvents["attempt.started"], { type: "task.ended", outcome }] as const;

describe("an answer that was saved after a limit says so", () => {
  const places: readonly (readonly [string, (outcome: Outcome) => string])[] = [
    ["in the lines of `run` and `logs`", (outcome) => line({ type: "task.ended", outcome }) ?? ""],
    ["in the task's log file", endLine],
    ["in the day's log file", (outcome) => attemptEndLines(taskAfter(...endedAs(outcome))).join("\n")],
    ["to a parent that is told of a child in the background", (outcome) => newsOf([taskAfter(...endedAs(outcome))])],
    ["in the summary that inboxes and parents have", summarize],
    ["in the breadcrumb", (outcome) => breadcrumbOf(taskAfter(...endedAs(outcome)), outcome).summary],
    ["in the transcript", (outcome) => transcriptOf(outcome)],
  ];

  test.each(places)("%s", (_, tell) => {
    expect(tell(saved)).toContain("saved after max_turns");
    expect(tell(completed)).not.toContain("saved");
  });
});

function transcriptOf(outcome: Outcome): string {
  const events = endedAs(outcome);
  const session = applySessionEvent(undefined, sessionEvents["session.opened"], 0);
  return transcriptText({ session, tasks: [{ task: taskAfter(...events), events: logOf(events) }], isWhole: true });
}

describe("what is printed of an outcome", () => {
  test("a value that the answer is already, once", () => {
    const text = outcomeText({ ...completed, answer: '{"b":[1],"a":2}', output: { a: 2, b: [1] } });
    expect(JSON.parse(text)).toEqual({ a: 2, b: [1] });
  });

  test("a value that the answer only speaks of, beside it", () => {
    expect(outcomeText(completed)).toBe(`There are three.\n${JSON.stringify({ tests: 3 }, null, 2)}`);
  });

  test("what was said last, where it failed or was stopped", () => {
    expect(outcomeText(failed)).toBe("timeout: not done after 60 s\nIt said last:\nSo far: one.");
    expect(outcomeText({ ...cancelled, answer: "Half." })).toBe("stopped by ada (cooperative)\nIt said last:\nHalf.");
    expect(outcomeText(cancelled)).toBe("stopped by ada (cooperative)");
  });

  test("no price where none is known", () => {
    const settled = { ...taskEvents["budget.settled"], spent: { tokens: 150, microUsd: 0 } };
    expect(line(settled)).toBe("spent 150 tokens");
  });
});

test.each([
  [600_000, "not done after 10 min"],
  [60_000, "not done after 1 min"],
  [90_000, "not done after 90 s"],
  [1_500, "not done after 2 s"],
])("%i ms: %s", (ms, text) => {
  expect(notDoneAfter(ms)).toBe(text);
});
