// How the end of a task is told: an answer that was only saved never looks like a clean one, and nothing is said twice.
import { describe, expect, test } from "vitest";
import { colorsFor } from "../../src/cli/render/colors.ts";
import { openOutput, type Output } from "../../src/cli/output.ts";
import { eventLine } from "../../src/cli/render/events.ts";
import { outcomeText, shortName, sumLine, taskDetails, taskTable } from "../../src/cli/render/tasks.ts";
import { tellBeside, tellUnheard } from "../../src/cli/tell-beside.ts";
import { newsOf } from "../../src/domain/reminders.ts";
import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { breadcrumbOf, notDoneAfter, summarize } from "../../src/domain/summaries.ts";
import { transcriptText } from "../../src/domain/transcript.ts";
import type { HostCall } from "../../src/mcp/host-tool.ts";
import { geminiReply } from "../../src/mcp/show/gemini-text.ts";
import { gencodeReply, gencodeResult } from "../../src/mcp/show/gencode-text.ts";
import { fieldsReply } from "../../src/mcp/show/task-fields.ts";
import { yeetReply } from "../../src/mcp/show/yeet-text.ts";
import { type Spent, spentTogether } from "../../src/operations/words.ts";
import type { Envelope, Outcome, TaskEvent, TaskView } from "../../src/schema/index.ts";
import { endLine, heldLine } from "../../src/stores/state-files/event-lines.ts";
import { attemptEndLines } from "../../src/stores/state-files/subagent-lines.ts";
import { taskText } from "../../src/tools/delegation/task-text.ts";
import { controlEvents, logOf, outcomes, sessionEvents, taskAfter, taskEvents } from "../domain/samples.ts";

const { completed, failed, cancelled } = outcomes;
const saved = { ...completed, recovered: { limit: "max_turns" } } as const satisfies Outcome;
const line = (event: TaskEvent): string | null => eventLine({ event } as Envelope, colorsFor(false));
const NOTHING_BESIDE = { behind: new Map(), fate: null, below: null };
const opened = applySessionEvent(undefined, sessionEvents["session.opened"], 0);
const HOST_CALL = {
  cadre: { home: "/home" },
  manner: { dialect: "cadre", names: {} },
  bounds: { pageChars: 1_000 },
} as unknown as HostCall;

/** What is said on standard error. */
function talkOf(tell: (out: Output) => void): string {
  const lines: string[] = [];
  const streams = { stdin: {}, stdout: { write: () => true }, stderr: { write: (text: string) => lines.push(text) } };
  tell(openOutput({ ...streams, env: {} }, false));
  return lines.join("");
}

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
    ["beside what `output` prints", (outcome) => talkOf((out) => tellBeside(out, taskAfter(...endedAs(outcome))))],
    ["to hosts that speak Yeet", (outcome) => yeetReply(taskAfter(...endedAs(outcome)), 0, 1_000).text],
  ];

  test.each(places)("%s", (_, tell) => {
    expect(tell(saved)).toContain("saved after max_turns");
    expect(tell(completed)).not.toContain("saved");
  });
});

describe("a message that came too late is told", () => {
  const sent = { ...controlEvents["message.sent"], text: "and the\ncellar" };
  const heard = { ...taskEvents["message.received"], control: 3 };
  const events = (...between: TaskEvent[]) => [startedIt, sent, ...between, { type: "task.ended", outcome: completed }];
  const startedIt = taskEvents["attempt.started"];
  const page = 1_000;
  const places: readonly (readonly [string, (task: TaskView) => string])[] = [
    ["by `run` and `logs`", (task) => talkOf((out) => tellUnheard(out, task))],
    ["by `output`", (task) => talkOf((out) => tellBeside(out, task))],
    ["by `show`", (task) => taskDetails(task, colorsFor(false), NOTHING_BESIDE)],
    ["in the transcript", (task) => transcriptText({ session: opened, tasks: [{ task, events: [] }], isWhole: true })],
    ["to hosts that speak Gemini's words", (task) => geminiReply(task, 0, page).text],
    ["to those that speak GenCode's, who asked", (task) => gencodeReply(task, 0, page).text],
    ["to those that speak GenCode's, who waited", (task) => gencodeResult(task, page).text],
    ["to those that speak Yeet's", (task) => yeetReply(task, 0, page).text],
    ["to those that speak ours", (task) => fieldsReply(task, HOST_CALL, 0).text],
  ];

  test.each(places)("%s", (_, tell) => {
    expect(tell(taskAfter(...(events() as TaskEvent[])))).toContain("and the cellar");
    expect(tell(taskAfter(...(events(heard) as TaskEvent[])))).not.toContain("and the cellar");
  });
});

test.each([
  ["Gemini's", (task: TaskView) => geminiReply(task, 0, 1_000).text],
  ["GenCode's", (task: TaskView) => gencodeResult(task, 1_000).text],
  ["Yeet's", (task: TaskView) => yeetReply(task, 0, 1_000).text],
])("an answer that is cut says so to hosts that speak %s words", (_, tell) => {
  const cut = "The answer was too long, and is cut.";
  expect(tell(taskAfter(...endedAs({ ...completed, truncated: true })))).toContain(cut);
  expect(tell(taskAfter(...endedAs(completed)))).not.toContain(cut);
});

test("a child that was interrupted says why to its parent, in news and to whoever looks", () => {
  const stuck = taskAfter(taskEvents["attempt.started"], { type: "task.interrupted", why: "its worker (pid 5) died" });
  expect(taskText(stuck)).toContain("Error: its worker (pid 5) died. It may go on only when a person says so.");
  const done = taskAfter(...endedAs(completed));
  expect(newsOf([stuck, done])).toBe(
    [newsOf([done]), newsOf([stuck])].join("\n"), // what has ended first
  );
  expect(newsOf([done])).not.toContain("interrupted");
  expect(newsOf([stuck])).toMatch(/^Tasks that were interrupted .*\n- \S+ \(task_one\): its worker \(pid 5\) died$/);
});

function transcriptOf(outcome: Outcome): string {
  const events = endedAs(outcome);
  return transcriptText({
    session: opened,
    tasks: [{ task: taskAfter(...events), events: logOf(events) }],
    isWhole: true,
  });
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
    expect(line({ ...settled, spent: { tokens: 150, microUsd: null } })).toBe("spent 150 tokens, price unknown");
  });
});

describe("what is printed of a cost", () => {
  const spent = { microUsd: 12_000, tokens: 150 };
  const settled = { ...taskEvents["budget.settled"], spent };
  const task = (...events: TaskEvent[]) => taskAfter(taskEvents["attempt.started"], ...events);
  const detailsOf = (view: TaskView, below: Spent | null = null) =>
    taskDetails(view, colorsFor(false), { behind: new Map(), fate: null, below });
  const usage = { inputTokens: 100, outputTokens: 50, cacheReadTokens: 80, cacheWriteTokens: 0, reasoningTokens: 30 };

  test("of calls that were cut off it is the most that it may be", () => {
    const cut = task(settled, { ...settled, isBound: true });
    expect(line({ ...settled, isBound: true })).toBe("spent at most 150 tokens, $0.0120");
    expect(heldLine({ type: "settle", reservation: settled.reservation, spent, isBound: true })).toBe(
      "spent at most 150 tokens, $0.0120",
    );
    expect(taskTable([cut], colorsFor(false))).toContain("at most $0.0240");
    expect(detailsOf(cut)).toMatch(/^spent\s+at most 300 tokens, at most \$0\.0240$/m);
    expect(taskText(cut)).toContain("Tokens: at most 300\n");
    expect(taskText(task(settled))).toContain("Tokens: 150\n");
  });

  test("the model that answered, and tokens of each kind, stand in one line of `run` and in `show`", () => {
    const replied = { ...taskEvents["model.replied"], model: "test/one", microUsd: 12_000 };
    const view = { ...task(replied, { ...settled, usage }), backend: "native", children: [], turns: 1, graceTurns: 1 };
    const tokens = "150 tokens (80 read from a cache, 30 of reasoning), $0.0120";
    expect(sumLine(view, null)).toBe(`${shortName(view)} took 1 turn and last words, spent ${tokens} (test/one)`);
    const free = task(replied);
    expect(sumLine({ ...free, backend: "native", children: [] }, null)).toContain("spent nothing (test/one)");
    expect(detailsOf(view)).toMatch(/^model\s+test\/one$/m);
    expect(detailsOf(view)).toContain(tokens);
    expect(sumLine({ ...view, backend: "tape" }, null)).toBeNull();
  });

  test("with that of its children, where it has any", () => {
    const view = { ...task(settled), backend: "native" };
    const bound = { microUsd: 1, tokens: 1 };
    const below = { spent: { microUsd: 552_000, tokens: 9_000 }, bound, isCostKnown: true, areTokensKnown: true };
    const words = "spent 150 tokens, $0.0120; with its children at most 9000 tokens, at most $0.5520";
    expect(sumLine(view, below)).toContain(words);
    expect(detailsOf(view, below)).toMatch(/^spent\s+150 tokens, \$0\.0120; with its children at most 9000 tokens/m);
  });

  test("with that of its children, of which nobody knows all", () => {
    const known = task(settled);
    const most = task({ ...settled, isBound: true });
    const least = task({ ...settled, spent: { microUsd: 12_000, tokens: 0 }, isBound: true });
    const silent = task({ ...settled, spent: { microUsd: null, tokens: 0 } });
    const told = (...tasks: readonly TaskView[]) =>
      detailsOf(known, spentTogether(tasks)).match(/its children (.*)$/m)?.[1];
    expect(told(known, most)).toBe("at most 300 tokens, at most $0.0240");
    expect(told(known, most, least)).toBe("at least 150 tokens, at most $0.0360");
    expect(told(known, silent)).toBe("at least 150 tokens, $0.0120 + unknown");
    expect(told(silent, silent)).toBe("unknown");
    expect(told(task(settled, { ...settled, spent: { microUsd: null, tokens: 0 } }))).toBe(
      "at least 150 tokens, $0.0120 + unknown",
    );
    expect(taskText(silent)).toContain("Tokens: unknown\n");
    expect(told(task(), task())).toBe("nothing");
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
