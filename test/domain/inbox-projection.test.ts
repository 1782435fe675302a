// What comes into the inbox, event by event. That stores keep it in step is in their contract.
import { describe, expect, test } from "vitest";
import { inboxChanges } from "../../src/domain/inbox-projection.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import type { ControlEvent, InboxItem, TaskEvent, TaskSpec, TaskView } from "../../src/schema/index.ts";
import { CHILD, controlEvents, ended, logOf, sampleDefinition, sampleSpec, TASK, taskEvents } from "./samples.ts";

const { "task.admitted": admitted, "attempt.started": started, "tool.called": called } = taskEvents;

interface Given {
  readonly spec?: Partial<TaskSpec>;
  readonly before?: readonly TaskEvent[];
  readonly items?: readonly InboxItem[];
  readonly parent?: TaskView;
}

const viewOf = (events: readonly (TaskEvent | ControlEvent)[], spec: Partial<TaskSpec> = {}): TaskView =>
  foldTask(TASK, logOf([{ ...admitted, spec: sampleSpec(spec) }, ...events]));

function itemsOf(event: TaskEvent | ControlEvent, { spec, before = [started], items = [], parent }: Given = {}) {
  const task = viewOf([...before, event], spec);
  return inboxChanges(task, event, { at: 9, position: 9 }, { itemsOf: () => items, task: () => parent });
}

describe("an end", () => {
  test("of a task that no agent has started is an item", () => {
    expect(itemsOf(ended("completed"))).toMatchObject([
      { id: "item_9", kind: "ended", status: "completed", read: null },
    ]);
    expect(itemsOf(ended("failed"))).toMatchObject([{ kind: "ended", status: "failed", read: null }]);
  });

  test("of a child that its parent waits for is none", () => {
    expect(itemsOf(ended("completed"), { spec: { parent: CHILD, depth: 1 } })).toEqual([]);
  });

  test("of a child in the background is one", () => {
    const spec = { parent: CHILD, depth: 1, background: true };
    expect(itemsOf(ended("completed"), { spec })).toMatchObject([{ kind: "ended" }]);
  });

  test.each(["reviewer", "Review"])("of %s is a review, whoever waits for it", (name) => {
    const spec = { definition: sampleDefinition({ name }), parent: CHILD, depth: 1 };
    expect(itemsOf(ended("completed"), { spec })).toMatchObject([{ kind: "review", agent: name }]);
  });

  test("of an agent that is a gate of its parent is a review", () => {
    const definition = sampleDefinition({ name: "lead", completion: { gates: [{ agent: "explore" }] } });
    const spec = { parent: CHILD, depth: 1 };
    expect(itemsOf(ended("completed"), { spec, parent: viewOf([], { definition }) })).toMatchObject([
      { kind: "review" },
    ]);
  });

  test("that somebody wanted is no news to them", () => {
    expect(itemsOf(ended("cancelled"))).toMatchObject([{ kind: "ended", read: { at: 9 } }]);
  });

  test("has its answer on one line, and not all of it", () => {
    const outcome = { ...ended("completed").outcome, answer: `a\nb ${"x".repeat(900)}` } as const;
    const [item] = itemsOf({ type: "task.ended", outcome });
    expect(item?.summary).toMatch(/^a b x+\.\.\.$/);
    expect(item?.summary.length).toBe(500);
  });
});

describe("what an agent says when it ends", () => {
  const says = (tool: string, input: Record<string, string>): TaskEvent => ({ ...called, tool, input });

  test.each([
    ["message_user", { message: "It is ready." }, "It is ready."],
    ["ask_for_help", { question: "Which key?" }, "Which key?"],
  ])("by %s is an item where nobody can be asked", (tool, input, summary) => {
    expect(itemsOf(says(tool, input), { spec: { askable: "nobody" } })).toMatchObject([{ kind: "message", summary }]);
  });

  test("is none beside the question that it is where somebody can", () => {
    expect(itemsOf(says("message_user", { message: "x" }), { spec: { askable: "inbox" } })).toEqual([]);
  });

  test("any other tool is nobody's concern", () => {
    expect(itemsOf(says("Bash", { command: "ls" }), { spec: { askable: "nobody" } })).toEqual([]);
  });
});

describe("a message", () => {
  const sent = controlEvents["message.sent"];

  test("from another agent is an interjection", () => {
    expect(itemsOf({ ...sent, by: CHILD })).toMatchObject([{ kind: "interjection", summary: "Look in test." }]);
  });

  test("from a person is none", () => {
    expect(itemsOf(sent)).toEqual([]);
  });
});

test("a question of an attempt that is tried again by itself is not open any more, and nobody has to look at it", () => {
  const asked = taskEvents["approval.asked"];
  const items = itemsOf(asked);
  expect(items).toMatchObject([{ isOpen: true, read: null }]);
  const before = [started, asked, taskEvents["attempt.ended"]];
  expect(itemsOf(taskEvents["task.requeued"], { before, items })).toMatchObject([{ isOpen: false, read: { at: 9 } }]);
});
