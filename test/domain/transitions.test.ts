import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyTaskEvent, foldTask } from "../../src/domain/task-projection.ts";
import { allows, hasEnded, isHeld, kindOf, nextStatus, type TaskEventKind } from "../../src/domain/transitions.ts";
import { CadreError } from "../../src/errors/index.ts";
import { type TaskEvent, TaskStatus, TaskView } from "../../src/schema/index.ts";
import { ended, eventOfKind, logOf, TASK, taskEvents, timeOf } from "./samples.ts";

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

  it("is settled for all types: seven shape a life, eighteen are work", () => {
    expect([Object.keys(taskEvents).length, inside.length]).toEqual([25, 18]);
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
