import { describe, expect, it } from "vitest";
import { UNHEARD_MOST, unheardWords } from "../../src/domain/summaries.ts";
import { admitTask, applyControlEvent, applyTaskEvent } from "../../src/domain/task-projection.ts";
import { type ControlEvent, NO_USAGE, type TaskEvent, type TaskView } from "../../src/schema/index.ts";
import {
  APPROVAL,
  CHILD,
  controlEvents,
  ended,
  outcomes,
  RESERVATION,
  sampleSpec,
  sampleWorker,
  TASK,
  taskAfter,
  taskEvents,
  taskIn,
  timeOf,
} from "./samples.ts";

const reserved = { id: RESERVATION, amount: { microUsd: 1_000, tokens: 0 } };

/** What was asked of the task at its admission, and the view of a task to which nothing has happened yet. */
const admitted = { type: "task.admitted", spec: sampleSpec(), number: 4, reserved } as const;
const fresh: TaskView = {
  id: TASK,
  number: 4,
  status: "pending",
  spec: sampleSpec(),
  backend: "tape",
  holder: null,
  waitingOn: null,
  stopRequestedBy: null,
  attempts: [],
  turns: 0,
  graceTurns: 0,
  calls: { made: 0, refused: 0 },
  spent: { microUsd: 0, tokens: 0 },
  bound: { microUsd: 0, tokens: 0 },
  isCostKnown: true,
  areTokensKnown: true,
  usage: NO_USAGE,
  models: [],
  reserved,
  approvals: [],
  children: [],
  lastSaid: null,
  kept: null,
  outcome: null,
  interruption: null,
  heardThrough: 0,
  unheard: [],
  firstPosition: 1,
  createdAt: timeOf(1),
  startedAt: null,
  endedAt: null,
  updatedAt: timeOf(1),
  position: 1,
};

type Happened = TaskEvent | ControlEvent;

/**
 * Plays the steps one after the other. A step says what it changes, and everything that it does not name
 * must stay as it was.
 */
function expectLife(steps: readonly (readonly [Happened, Partial<TaskView>])[]): TaskView {
  let view = admitTask(TASK, admitted, { at: timeOf(1), position: 1, attempt: null });
  let expected = fresh;
  let attempt = 0;
  expect(view).toEqual(expected);
  for (const [index, [event, changes]] of steps.entries()) {
    const position = index + 2;
    const at = timeOf(position);
    if (event.type === "attempt.started") attempt += 1;
    view =
      "task" in event
        ? applyControlEvent(view, event, { at, position, attempt: null })
        : applyTaskEvent(view, event, { at, position, attempt });
    expected = { ...expected, ...changes, updatedAt: at, position };
    expect(view, `after step ${position}, ${event.type}`).toEqual(expected);
  }
  return view;
}

const firstAttempt = {
  attempt: 1,
  backend: "tape",
  worker: sampleWorker("one").id,
  tokenSha256: "a".repeat(64),
  startedAt: timeOf(2),
  endedAt: null,
  end: null,
  reason: null,
  workspace: null,
  confinement: null,
  custody: null,
};
const prepared = {
  ...firstAttempt,
  workspace: "/srv/project",
  confinement: { commands: "os", fileTools: "policy" } as const,
  custody: "tracked" as const,
};
const asked = {
  ...taskEvents["approval.asked"].approval,
  state: "open",
  answer: null,
  by: null,
  askedAt: timeOf(10),
} as const;
const answer = { verdict: "allow", scope: "once" } as const;

describe("the life of a task, step by step", () => {
  it("goes from its admission over turns, calls, an approval, a child and its costs to its answer", () => {
    expectLife([
      [
        taskEvents["attempt.started"],
        { status: "running", holder: sampleWorker("one").id, startedAt: timeOf(2), attempts: [firstAttempt] },
      ],
      [taskEvents["attempt.prepared"], { attempts: [prepared] }],
      [taskEvents["turn.started"], { turns: 1 }],
      [taskEvents["message.said"], { lastSaid: "I am looking." }],
      [taskEvents["tool.called"], { calls: { made: 1, refused: 0 } }],
      [taskEvents["tool.returned"], {}],
      [taskEvents["tool.refused"], { calls: { made: 1, refused: 1 } }],
      [taskEvents["turn.ended"], {}],
      // A question to a person: asked, waited for, answered by one, read by the worker.
      [taskEvents["approval.asked"], { approvals: [asked] }],
      [
        { type: "attempt.suspended", on: "approval" },
        { status: "waiting", waitingOn: "approval" },
      ],
      [controlEvents["answer.given"], { approvals: [{ ...asked, state: "answered", answer, by: "ada" }] }],
      [taskEvents["attempt.resumed"], { status: "running", waitingOn: null }],
      [taskEvents["approval.answered"], { approvals: [{ ...asked, state: "applied", answer, by: "ada" }] }],
      // A child, waited for.
      [taskEvents["child.started"], { children: [CHILD] }],
      [taskEvents["attempt.suspended"], { status: "waiting", waitingOn: "child" }],
      [taskEvents["attempt.resumed"], { status: "running", waitingOn: null }],
      [taskEvents["child.ended"], {}],
      // A message from outside.
      [controlEvents["message.sent"], { unheard: [{ control: 19, by: "ada", text: "Look in test." }] }],
      [
        { ...taskEvents["message.received"], control: 19 },
        { heardThrough: 19, unheard: [] },
      ],
      [taskEvents["turn.started"], { turns: 2 }],
      // What it costs.
      [taskEvents["budget.reserved"], {}],
      [taskEvents["budget.settled"], { spent: { microUsd: 300, tokens: 12 }, reserved: null }],
      [taskEvents["gate.checked"], {}],
      [taskEvents["host.refused"], {}],
      [taskEvents["workspace.kept"], { kept: taskEvents["workspace.kept"].kept }],
      [taskEvents["note.taken"], {}],
      [taskEvents["message.said"], { lastSaid: "I am looking." }],
      [
        { type: "attempt.ended", end: "completed", reason: null, message: null },
        { attempts: [{ ...prepared, endedAt: timeOf(29), end: "completed" }] },
      ],
      [ended("completed"), { status: "completed", holder: null, outcome: outcomes.completed, endedAt: timeOf(30) }],
    ]);
  });

  it("counts what is spent over several settlements, and closes only the reservation that is settled", () => {
    const settled = taskEvents["budget.settled"];
    const other = { ...settled, reservation: "rsrv_other" as typeof RESERVATION };
    expectLife([
      [
        taskEvents["attempt.started"],
        { status: "running", holder: sampleWorker("one").id, startedAt: timeOf(2), attempts: [firstAttempt] },
      ],
      [other, { spent: { microUsd: 300, tokens: 12 } }],
      [settled, { spent: { microUsd: 600, tokens: 24 }, reserved: null }],
    ]);
  });

  it("shows a wish to stop before it is done, and who had it", () => {
    expectLife([
      [
        taskEvents["attempt.started"],
        { status: "running", holder: sampleWorker("one").id, startedAt: timeOf(2), attempts: [firstAttempt] },
      ],
      [controlEvents["stop.requested"], { stopRequestedBy: "ada" }],
      [
        ended("cancelled"),
        { status: "cancelled", holder: null, outcome: outcomes.cancelled, endedAt: timeOf(4), reserved: null },
      ],
    ]);
  });

  it("lets a question expire without touching the others", () => {
    const second = { ...taskEvents["approval.asked"].approval, id: "appr_two" as typeof APPROVAL };
    const view = expectLife([
      [
        taskEvents["attempt.started"],
        { status: "running", holder: sampleWorker("one").id, startedAt: timeOf(2), attempts: [firstAttempt] },
      ],
      [taskEvents["approval.asked"], { approvals: [{ ...asked, askedAt: timeOf(3) }] }],
      [
        { type: "approval.asked", approval: second },
        {
          approvals: [
            { ...asked, askedAt: timeOf(3) },
            { ...asked, id: second.id, askedAt: timeOf(4) },
          ],
        },
      ],
      [
        taskEvents["approval.expired"],
        {
          approvals: [
            { ...asked, askedAt: timeOf(3), state: "expired" },
            { ...asked, id: second.id, askedAt: timeOf(4) },
          ],
        },
      ],
    ]);
    expect(view.approvals.map(({ id, state }) => [id, state])).toEqual([
      [APPROVAL, "expired"],
      ["appr_two", "open"],
    ]);
  });

  it("ends without an attempt when it is refused before it starts", () => {
    const view = expectLife([
      [ended("failed"), { status: "failed", outcome: outcomes.failed, endedAt: timeOf(2), reserved: null }],
    ]);
    expect(view.startedAt).toBeNull();
  });
});

const startedBy = (name: string, backend = "tape"): TaskEvent => ({
  type: "attempt.started",
  worker: sampleWorker(name),
  backend,
  tokenSha256: name.repeat(8),
});
const attemptFailed: TaskEvent = {
  type: "attempt.ended",
  end: "failed",
  reason: "backend_unavailable",
  message: "no answer",
};
const requeuedTo = (backend: string): TaskEvent => ({
  type: "task.requeued",
  backend,
  because: "failover",
  by: "cadre",
});

describe("the holder of a task", () => {
  it.each([
    ["pending", null],
    ["running", "work_one"],
    ["waiting", "work_one"],
    ["interrupted", null],
    ["completed", null],
    ["failed", null],
    ["cancelled", null],
  ] as const)("of a %s task is %s", (status, holder) => {
    expect(taskIn(status).holder).toBe(holder);
  });

  it("stays the same while the attempt waits and goes on", () => {
    const waited = taskAfter(startedBy("one"), taskEvents["attempt.suspended"], taskEvents["attempt.resumed"]);
    expect(waited.holder).toBe("work_one");
  });

  it("is the worker of the latest attempt", () => {
    expect(taskAfter(startedBy("one"), requeuedTo("tape"), startedBy("two")).holder).toBe("work_two");
  });
});

describe("a second attempt", () => {
  const twice = taskAfter(
    startedBy("one"),
    taskEvents["attempt.prepared"],
    taskEvents["turn.started"],
    attemptFailed,
    requeuedTo("other"),
    startedBy("two", "other"),
    taskEvents["turn.started"],
  );

  it("keeps the first, with how it ended", () => {
    expect(twice.attempts).toHaveLength(2);
    expect(twice.attempts[0]).toEqual({
      attempt: 1,
      backend: "tape",
      worker: "work_one",
      tokenSha256: "one".repeat(8),
      startedAt: timeOf(2),
      endedAt: timeOf(5),
      end: "failed",
      reason: "backend_unavailable",
      workspace: "/srv/project",
      confinement: { commands: "os", fileTools: "policy" },
      custody: "tracked",
    });
    expect(twice.attempts[1]).toEqual({
      attempt: 2,
      backend: "other",
      worker: "work_two",
      tokenSha256: "two".repeat(8),
      startedAt: timeOf(7),
      endedAt: null,
      end: null,
      reason: null,
      workspace: null,
      confinement: null,
      custody: null,
    });
  });

  it("runs on the backend that it was queued for, which shows before it starts", () => {
    expect(taskAfter(startedBy("one"), attemptFailed, requeuedTo("other")).backend).toBe("other");
    expect(twice.backend).toBe("other");
  });

  it("does not move the start of the task, and goes on counting its turns", () => {
    expect(twice.startedAt).toBe(timeOf(2));
    expect(twice.turns).toBe(2);
  });

  it("alone is changed by what happens in it", () => {
    const after = applyTaskEvent(twice, attemptFailed, { at: timeOf(20), position: 20, attempt: 2 });
    expect(after.attempts[0]).toEqual(twice.attempts[0]);
    expect(after.attempts[1]).toMatchObject({ end: "failed", endedAt: timeOf(20) });
  });

  it("of a stopped task does not begin with the old wish to stop", () => {
    const again = taskAfter(
      startedBy("one"),
      controlEvents["stop.requested"],
      ended("cancelled"),
      requeuedTo("tape"),
      startedBy("two"),
    );
    expect(again.stopRequestedBy).toBeNull();
  });
});

describe("a task that is queued again", () => {
  it("by its own worker is still to be stopped where somebody has asked for that meanwhile", () => {
    const again = taskAfter(startedBy("one"), controlEvents["stop.requested"], attemptFailed, requeuedTo("tape"));
    expect(again.stopRequestedBy).toBe("ada");
  });

  it.each(["failed", "cancelled"] as const)("after it %s forgets its outcome and its end", (status) => {
    const view = taskAfter(startedBy("one"), ended(status), requeuedTo("tape"));
    expect(view).toMatchObject({ status: "pending", outcome: null, endedAt: null });
  });

  it("after an interruption forgets why it was interrupted", () => {
    const view = taskAfter(startedBy("one"), taskEvents["task.interrupted"], requeuedTo("tape"));
    expect(view).toMatchObject({ status: "pending", interruption: null });
  });
});

describe("a question that is open when a task is queued again", () => {
  const asking = [startedBy("one"), taskEvents["approval.asked"]] as const;

  it("is waited for by nobody where the attempt had ended by itself", () => {
    const view = taskAfter(...asking, attemptFailed, requeuedTo("tape"));
    expect(view.approvals).toMatchObject([{ state: "expired" }]);
  });

  it("has no answer any more where the task had ended before somebody heard it", () => {
    const given = taskAfter(...asking, taskEvents["task.interrupted"], controlEvents["answer.given"]);
    expect(given.approvals).toMatchObject([{ state: "answered" }]);
    const again = taskAfter(
      ...asking,
      taskEvents["task.interrupted"],
      controlEvents["answer.given"],
      ended("cancelled"),
      requeuedTo("tape"),
    );
    expect(again.approvals).toMatchObject([{ state: "expired" }]);
  });

  it("is still answered where somebody was quicker than the end of its time", () => {
    const view = taskAfter(...asking, controlEvents["answer.given"], taskEvents["approval.expired"]);
    expect(view.approvals).toMatchObject([{ state: "answered", by: "ada" }]);
  });

  it("stays where its worker had died: the next attempt may put it again", () => {
    const view = taskAfter(...asking, taskEvents["task.interrupted"], requeuedTo("tape"), startedBy("two"));
    expect(view.approvals).toMatchObject([{ state: "open" }]);
  });
});

describe("messages that were taken for a task", () => {
  const say = (text: string, by = "ada") => ({ ...controlEvents["message.sent"], text, by });

  it("of one that never listens are kept up to a number, the latest, and it is said that there may be more", () => {
    const sent = Array.from({ length: UNHEARD_MOST + 10 }, (_, n) => say(`word ${n + 1}`));
    const view = taskAfter(...sent, ended("cancelled"));
    expect(view.unheard.map(({ text }) => text)).toEqual(sent.slice(10).map(({ text }) => text));
    expect(unheardWords(view)).toHaveLength(UNHEARD_MOST + 1);
    expect(unheardWords(view)[0]).toBe("there may be more messages that came too late");
  });

  it("are unheard until its agent has got them, each in short", () => {
    const view = taskAfter(say("one"), say(`two\n${"x".repeat(300)}`, "grace"), startedBy("one"), {
      ...taskEvents["message.received"],
      control: 2,
    });
    expect(view.unheard).toEqual([{ control: 3, by: "grace", text: `two ${"x".repeat(193)}...` }]);
  });

  it("came too late once it has ended, and not before", () => {
    const sent = [say("one"), say("two")] as const;
    expect(unheardWords(taskAfter(...sent))).toEqual([]);
    expect(unheardWords(taskAfter(...sent, ended("cancelled")))).toEqual([
      "a message from ada came too late to be heard: one",
      "a message from ada came too late to be heard: two",
    ]);
    expect(unheardWords(taskAfter(...sent, ended("cancelled"), requeuedTo("tape")))).toEqual([]);
  });
});

describe("an interruption", () => {
  it("says why, ends the attempt and waits for nothing any more", () => {
    const view = taskAfter(startedBy("one"), taskEvents["attempt.suspended"], taskEvents["task.interrupted"]);
    expect(view).toMatchObject({ status: "interrupted", interruption: "its worker died", waitingOn: null });
    expect(view.attempts).toMatchObject([{ end: "interrupted", endedAt: timeOf(4) }]);
    expect(view.endedAt).toBeNull();
  });

  it.each(["failed", "cancelled"] as const)("is over once the task is %s", (status) => {
    const view = taskAfter(startedBy("one"), taskEvents["task.interrupted"], ended(status));
    expect(view).toMatchObject({ status, interruption: null });
  });
});

it("an event that this version does not know is no status, but said", () => {
  const unknown = { type: "moon.rose" } as unknown as TaskEvent;
  expect(() => applyTaskEvent(taskIn("running"), unknown, { position: 9, at: timeOf(9), attempt: 1 })).toThrow(
    /"moon\.rose" happened to a task/,
  );
});
