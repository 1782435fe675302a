// What a log may say of a task and of a session, and what it comes to.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applySessionEvent } from "../../src/domain/session-projection.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import { admitTask, applyControlEvent, applyTaskEvent } from "../../src/domain/task-projection.ts";
import { allows, hasEnded, isHeld, kindOf, nextStatus, type TaskEventKind } from "../../src/domain/transitions.ts";
import { CadreError } from "../../src/errors/index.ts";
import {
  type Envelope,
  type SessionEvent,
  SessionView,
  type TaskEvent,
  TaskStatus,
  TaskView,
} from "../../src/schema/index.ts";
import {
  CHILD,
  CHILD_SESSION,
  controlEvents,
  ended,
  eventOfKind,
  logOf,
  SESSION,
  sessionEvents,
  TASK,
  taskEvents,
  timeOf,
} from "./samples.ts";

type Before = TaskStatus | "none";

/** The life of a task in words: what may happen to it in each status, and where that leads. */
const life: Readonly<Record<Before, Partial<Record<TaskEventKind, TaskStatus>>>> = {
  none: { admitted: "pending" },
  pending: { started: "running", failed: "failed", cancelled: "cancelled" },
  running: {
    worked: "running",
    suspended: "waiting",
    requeued: "pending",
    completed: "completed",
    failed: "failed",
    cancelled: "cancelled",
    interrupted: "interrupted",
  },
  waiting: {
    worked: "waiting",
    resumed: "running",
    failed: "failed",
    cancelled: "cancelled",
    interrupted: "interrupted",
  },
  interrupted: { requeued: "pending", failed: "failed", cancelled: "cancelled" },
  completed: {},
  failed: { requeued: "pending" },
  cancelled: { requeued: "pending" },
};

const statuses: readonly Before[] = ["none", ...TaskStatus.options];
const kinds = Object.keys(eventOfKind) as TaskEventKind[];
const cells = statuses.flatMap((status) =>
  kinds.map((kind) => ({ status, kind, next: life[status][kind] ?? ("refused" as const) })),
);

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

function expectCorrupt(action: () => unknown): void {
  const error = thrownBy(action);
  expect(CadreError.isInstance(error) && error.code).toBe("log.corrupt");
}

describe("a task in each status", () => {
  it.each(cells.filter(({ next }) => next !== "refused"))(
    "that is $status and $kind becomes $next",
    ({ status, kind, next }) => {
      expect(allows(status, kind)).toBe(true);
      expect(nextStatus(status, eventOfKind[kind])).toBe(next);
    },
  );

  it.each(cells.filter(({ next }) => next === "refused"))("that is $status cannot be $kind", ({ status, kind }) => {
    expect(allows(status, kind)).toBe(false);
    expectCorrupt(() => nextStatus(status, eventOfKind[kind]));
  });

  it("names the event and the status when a log says the impossible", () => {
    expect(() => nextStatus("completed", taskEvents["turn.started"])).toThrow(/"turn\.started".*completed/);
  });
});

describe("the kind of an event", () => {
  it.each([
    ["task.admitted", "admitted"],
    ["attempt.started", "started"],
    ["attempt.suspended", "suspended"],
    ["attempt.resumed", "resumed"],
    ["task.requeued", "requeued"],
    ["task.interrupted", "interrupted"],
  ] as const)("of type %s is %s", (type, kind) => {
    expect(kindOf(taskEvents[type])).toBe(kind);
  });

  it.each(["completed", "failed", "cancelled"] as const)("of a task that ended %s is that outcome", (status) => {
    expect(kindOf(ended(status))).toBe(status);
  });

  const inside = Object.values(taskEvents).filter(
    ({ type }) => !/^task\.|^attempt\.(started|suspended|resumed)$/.test(type),
  );

  it.each(inside.map(({ type }) => type))("of type %s is work inside an attempt", (type) => {
    expect(kindOf(taskEvents[type])).toBe("worked");
  });

  it("is settled for all types: seven shape a life, twenty-six are work", () => {
    expect([Object.keys(taskEvents).length, inside.length]).toEqual([33, 26]);
  });
});

describe("questions about a status", () => {
  it.each([
    { status: "pending", isOver: false, held: false },
    { status: "running", isOver: false, held: true },
    { status: "waiting", isOver: false, held: true },
    { status: "interrupted", isOver: false, held: false },
    { status: "completed", isOver: true, held: false },
    { status: "failed", isOver: true, held: false },
    { status: "cancelled", isOver: true, held: false },
  ] as const)("$status: over is $isOver, held by a worker is $held", ({ status, isOver, held }) => {
    expect(hasEnded(status)).toBe(isOver);
    expect(isHeld(status)).toBe(held);
  });
});

describe("any sequence of events", () => {
  const anyEvent: fc.Arbitrary<TaskEvent> = fc.constantFrom(
    ...Object.values(taskEvents),
    ended("failed"),
    ended("cancelled"),
  );

  /** Mostly what may happen next, so that walks get far, and sometimes anything at all. */
  const anyWalk = fc.array(fc.record({ pick: fc.nat(), other: fc.option(anyEvent, { freq: 5, nil: null }) }), {
    maxLength: 40,
  });

  const eventsThatFit = (status: Before): readonly TaskEvent[] => {
    const fitting = Object.keys(life[status]) as TaskEventKind[];
    return fitting.map((kind) => eventOfKind[kind]);
  };

  it("folds as far as each step is allowed, and each step that is not would be a damaged log", () => {
    fc.assert(
      fc.property(anyWalk, (walk) => {
        const events: TaskEvent[] = [taskEvents["task.admitted"]];
        let status: TaskStatus = "pending";
        for (const { pick, other } of walk) {
          const fitting = eventsThatFit(status);
          const event: TaskEvent | undefined = other ?? fitting[pick % Math.max(1, fitting.length)];
          if (event === undefined) break;
          if (allows(status, kindOf(event))) {
            status = nextStatus(status, event);
            events.push(event);
          } else {
            const now: TaskStatus = status;
            expectCorrupt(() => nextStatus(now, event));
            expectCorrupt(() => foldTask(TASK, logOf([...events, event])));
          }
        }
        expect(foldTask(TASK, logOf(events)).status).toBe(status);
      }),
    );
  });

  it("leaves a view that is whole: valid, held only at work, and with an outcome only at the end", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (picks) => {
        const events: TaskEvent[] = [];
        let status: Before = "none";
        for (const pick of picks) {
          const fitting = eventsThatFit(status);
          const event: TaskEvent | undefined = fitting[pick % Math.max(1, fitting.length)];
          if (event === undefined) break;
          events.push(event);
          status = nextStatus(status, event);
        }
        const view = foldTask(TASK, logOf(events));
        expect(TaskView.parse(view)).toEqual(view);
        expect(view.holder !== null).toBe(view.status === "running" || view.status === "waiting");
        expect(view.waitingOn !== null).toBe(view.status === "waiting");
        expect(view.interruption !== null).toBe(view.status === "interrupted");
        expect(view.outcome?.status ?? null).toBe(
          ["completed", "failed", "cancelled"].includes(view.status) ? view.status : null,
        );
        expect(view.endedAt !== null).toBe(view.outcome !== null);
        expect(view.attempts).toHaveLength(events.filter(({ type }) => type === "attempt.started").length);
      }),
    );
  });

  it("never changes the view that it was applied to", () => {
    const before = foldTask(TASK, logOf([eventOfKind.admitted, eventOfKind.started, taskEvents["approval.asked"]]));
    const copy = structuredClone(before);
    for (const event of Object.values(taskEvents)) {
      if (allows(before.status, kindOf(event)))
        applyTaskEvent(before, event, { at: timeOf(9), position: 9, attempt: 1 });
    }
    expect(before).toEqual(copy);
  });
});

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
    expect(view).toMatchObject({
      id: TASK,
      status: "cancelled",
      stopRequestedBy: "ada",
      turns: 0,
      firstPosition: 2,
      position: 8,
    });
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

const { "session.opened": opened, "session.continued": continued } = sessionEvents;
const { "message.kept": kept, "breadcrumb.left": left, "session.expired": expired } = sessionEvents;

const open: SessionView = {
  id: SESSION,
  agent: "Explore",
  parent: null,
  forkOf: null,
  children: [],
  tasks: [TASK],
  messages: [],
  breadcrumbs: [],
  openedAt: 1,
  updatedAt: 1,
  expiredAt: null,
};

describe("a session", () => {
  it("opens with the task that it was opened for", () => {
    expect(applySessionEvent(undefined, opened, 1)).toEqual(open);
  });

  it("knows the session above it", () => {
    expect(applySessionEvent(undefined, { ...opened, parent: CHILD_SESSION }, 1).parent).toBe(CHILD_SESSION);
  });

  const crumb = left.breadcrumb;
  const steps: readonly (readonly [string, SessionEvent, Partial<SessionView>])[] = [
    ["is continued by another task", continued, { tasks: [TASK, continued.task] }],
    ["keeps a message", kept, { messages: [kept.message] }],
    ["keeps a child's breadcrumb and names its session", left, { breadcrumbs: [crumb], children: [CHILD_SESSION] }],
  ];

  it("that has expired lets go of what was said, and of nothing else", () => {
    const used = [kept, left].reduce((view, event) => applySessionEvent(view, event, 5), open);
    expect(applySessionEvent(used, expired, 9)).toEqual({ ...used, messages: [], breadcrumbs: [], expiredAt: 9 });
  });

  it("that has expired is there again for a task of its own that is tried once more", () => {
    const gone = applySessionEvent(open, expired, 9);
    const back = applySessionEvent(gone, { ...continued, task: TASK }, 10);
    expect(back).toMatchObject({ tasks: [TASK], expiredAt: null, updatedAt: 10 });
  });

  it("knows which one it was forked from", () => {
    expect(applySessionEvent(undefined, { ...opened, forkOf: CHILD_SESSION }, 1).forkOf).toBe(CHILD_SESSION);
  });

  it.each(steps)("%s and changes nothing else", (_, event, changes) => {
    expect(applySessionEvent(open, event, 5)).toEqual({ ...open, ...changes, updatedAt: 5 });
  });

  it("keeps messages and breadcrumbs in the order in which they came", () => {
    const reply = { ...kept.message, role: "assistant", content: "Three." } as const;
    const again = { ...crumb, task: TASK, summary: "43" };
    const events: SessionEvent[] = [opened, kept, left, { ...kept, message: reply }, { ...left, breadcrumb: again }];
    const view = events.reduce<SessionView | undefined>(
      (before, event, at) => applySessionEvent(before, event, at),
      undefined,
    );
    expect(view?.messages).toEqual([kept.message, reply]);
    expect(view?.breadcrumbs.map(({ task, summary }) => [task, summary])).toEqual([
      [CHILD, "42"],
      [TASK, "43"],
    ]);
    expect(view?.children, "one session, named once").toEqual([CHILD_SESSION]);
    expect(view).toMatchObject({ openedAt: 0, updatedAt: 4 });
    expect(SessionView.parse(view)).toEqual(view);
  });

  it.each([continued, kept, left, expired])("that was never opened makes $type a damaged log", (event) => {
    expect(() => applySessionEvent(undefined, event, 1)).toThrow(expect.objectContaining({ code: "log.corrupt" }));
  });

  it("that is opened twice is a damaged log", () => {
    expect(() => applySessionEvent(open, opened, 2)).toThrow(expect.objectContaining({ code: "log.corrupt" }));
  });
});
