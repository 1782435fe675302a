import { describe, expect, it } from "vitest";
import { applyTaskEvent } from "../../src/domain/task-projection.ts";
import type { TaskEvent } from "../../src/schema/index.ts";
import { controlEvents, ended, sampleWorker, taskAfter, taskEvents, taskIn, timeOf } from "./samples.ts";

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
  it.each(["failed", "cancelled"] as const)("after it %s forgets its outcome and its end", (status) => {
    const view = taskAfter(startedBy("one"), ended(status), requeuedTo("tape"));
    expect(view).toMatchObject({ status: "pending", outcome: null, endedAt: null });
  });

  it("after an interruption forgets why it was interrupted", () => {
    const view = taskAfter(startedBy("one"), taskEvents["task.interrupted"], requeuedTo("tape"));
    expect(view).toMatchObject({ status: "pending", interruption: null });
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
