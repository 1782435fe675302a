// What becomes of a task when somebody asks, and when an attempt fails.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decideCommand } from "../../src/domain/commands.ts";
import { nextTry } from "../../src/domain/retries.ts";
import { foldTask } from "../../src/domain/fold-task.ts";
import { applyControlEvent } from "../../src/domain/task-projection.ts";
import { allows, kindOf } from "../../src/domain/transitions.ts";
import {
  type AgentDefinition,
  type Answer,
  ControlEvent,
  FailReason,
  type TaskCommand,
  TaskEvent,
  TaskStatus,
  type TaskView,
} from "../../src/schema/index.ts";
import {
  APPROVAL,
  controlEvents,
  ended,
  logOf,
  sampleDefinition,
  sampleSpec,
  sampleWorker,
  TASK,
  taskAfter,
  taskEvents,
  taskIn,
} from "./samples.ts";

const stop: TaskCommand = { type: "stop", by: "ada" };
const send: TaskCommand = { type: "send", text: "Look in test.", by: "ada" };
const requeue: TaskCommand = { type: "requeue", because: "retry", by: "ada" };
const allow: Answer = { verdict: "allow", scope: "once" };
const answer: TaskCommand = { type: "answer", approval: APPROVAL, answer: allow, by: "ada" };

const started = taskEvents["attempt.started"];
const asked = taskEvents["approval.asked"];

describe("stop", () => {
  it.each(["running", "waiting"] as const)("is told to the worker of a %s task", (status) => {
    expect(decideCommand(taskIn(status), stop)).toEqual({
      kind: "control",
      event: { type: "stop.requested", task: TASK, by: "ada" },
    });
  });

  it.each([
    ["a task that never started", taskIn("pending"), "unstarted", null],
    [
      "an interrupted task",
      taskAfter(started, taskEvents["message.said"], taskEvents["task.interrupted"]),
      "cooperative",
      "I am looking.",
    ],
    ["a task that is queued again", taskAfter(started, taskEvents["task.requeued"]), "cooperative", null],
  ] as const)("ends %s at once, with what it last said", (_, view, how, said) => {
    expect(decideCommand(view, stop)).toEqual({
      kind: "task",
      event: { type: "task.ended", outcome: { status: "cancelled", by: "ada", how, answer: said } },
    });
  });

  it.each(["completed", "failed", "cancelled"] as const)("is refused for a %s task", (status) => {
    expect(decideCommand(taskIn(status), stop)).toEqual({ kind: "refused", refusal: { why: "state", status } });
  });
});

describe("send", () => {
  it.each(["pending", "running", "waiting", "interrupted"] as const)("reaches a %s task through control", (status) => {
    expect(decideCommand(taskIn(status), send)).toEqual({
      kind: "control",
      event: { type: "message.sent", task: TASK, text: "Look in test.", by: "ada" },
    });
  });

  it.each(["completed", "failed", "cancelled"] as const)("is refused for a %s task", (status) => {
    expect(decideCommand(taskIn(status), send)).toEqual({ kind: "refused", refusal: { why: "state", status } });
  });
});

describe("requeue", () => {
  it.each(["interrupted", "failed", "cancelled"] as const)("puts a %s task back into the queue", (status) => {
    expect(decideCommand(taskIn(status), requeue)).toEqual({
      kind: "task",
      event: { type: "task.requeued", backend: "tape", because: "retry", by: "ada" },
    });
  });

  it("keeps the backend of the last attempt unless another is named", () => {
    const task = taskAfter({ ...started, backend: "claude" }, taskEvents["task.interrupted"]);
    expect(decideCommand(task, { ...requeue, because: "recovery" })).toMatchObject({
      event: { backend: "claude", because: "recovery" },
    });
    expect(decideCommand(task, { ...requeue, backend: "codex" })).toMatchObject({ event: { backend: "codex" } });
  });

  it.each(["failed", "cancelled"] as const)("of a %s task is a person's: recovery does not undo an end", (status) => {
    const decision = decideCommand(taskIn(status), { ...requeue, because: "recovery" });
    expect(decision).toEqual({ kind: "refused", refusal: { why: "state", status } });
  });

  it.each(["pending", "running", "waiting", "completed"] as const)("is refused for a %s task", (status) => {
    expect(decideCommand(taskIn(status), requeue)).toEqual({ kind: "refused", refusal: { why: "state", status } });
  });
});

describe("an answer", () => {
  const asking = taskAfter(started, asked, taskEvents["attempt.suspended"]);

  it.each([
    ["allow once", allow],
    ["allow for the task", { verdict: "allow", scope: "task" }],
    ["deny with a note", { verdict: "deny", note: "not today" }],
    ["words", { verdict: "text", text: "the second one" }],
  ] as const)("that is %s goes to the worker as it was given", (_, given) => {
    expect(decideCommand(asking, { ...answer, answer: given })).toEqual({
      kind: "control",
      event: { type: "answer.given", task: TASK, approval: APPROVAL, answer: given, by: "ada" },
    });
  });

  it("is taken as soon as it is asked, before the attempt has begun to wait", () => {
    expect(decideCommand(taskAfter(started, asked), answer).kind).toBe("control");
  });

  it("is refused if nothing of that name was asked", () => {
    const refusal = { kind: "refused", refusal: { why: "no-approval" } };
    expect(decideCommand(taskIn("running"), answer)).toEqual(refusal);
    expect(decideCommand(asking, { ...answer, approval: "appr_other" as typeof APPROVAL })).toEqual(refusal);
  });

  it.each([
    ["answered", taskAfter(started, asked, controlEvents["answer.given"])],
    ["applied", taskAfter(started, asked, controlEvents["answer.given"], taskEvents["approval.answered"])],
    ["expired", taskAfter(started, asked, taskEvents["approval.expired"])],
  ] as const)("is refused if the question is %s already", (state, view) => {
    expect(decideCommand(view, answer)).toEqual({ kind: "refused", refusal: { why: "approval-closed", state } });
  });

  it.each(["failed", "cancelled"] as const)("is refused once the task has %s, for nobody would read it", (status) => {
    const over = taskAfter(started, asked, taskEvents["attempt.suspended"], ended(status));
    expect(decideCommand(over, answer).kind).toBe("refused");
  });

  it("that comes second loses, whatever it says, and the first stands", () => {
    const first = decideCommand(asking, { ...answer, answer: { verdict: "deny" }, by: "grace" });
    const event = ControlEvent.parse("event" in first ? first.event : undefined);
    const after = applyControlEvent(asking, event, { at: 9, position: 9, attempt: null });
    expect(decideCommand(after, answer)).toEqual({
      kind: "refused",
      refusal: { why: "approval-closed", state: "answered" },
    });
    expect(after.approvals).toMatchObject([{ answer: { verdict: "deny" }, by: "grace" }]);
  });
});

describe("whatever is asked of whatever task", () => {
  const wishes = TaskStatus.options.flatMap((status) =>
    [stop, send, requeue, answer].map((command) => ({ status, command, wish: command.type })),
  );

  it.each(wishes)("$wish for a $status task comes to a valid event that can happen to it, or to a refusal", (row) => {
    const view = taskIn(row.status);
    const decision = decideCommand(view, row.command);
    const isSound =
      decision.kind === "refused" ||
      (decision.kind === "control" && view.outcome === null && ControlEvent.safeParse(decision.event).success) ||
      (decision.kind === "task" &&
        allows(view.status, kindOf(decision.event)) &&
        TaskEvent.safeParse(decision.event).success);
    expect(isSound).toBe(true);
  });

  it("never writes into the stream of a task that a worker holds", () => {
    const held = [taskIn("running"), taskIn("waiting"), taskAfter(started, asked)];
    const kinds = held.flatMap((view) =>
      [stop, send, requeue, answer].map((command) => decideCommand(view, command).kind),
    );
    expect(held.every(({ holder }) => holder === sampleWorker("one").id)).toBe(true);
    expect(kinds).not.toContain("task");
    expect(kinds).toContain("control");
  });
});

type Retry = AgentDefinition["retry"];

function attempted(backends: readonly string[], retry: Retry, ...events: readonly TaskEvent[]): TaskView {
  const spec = sampleSpec({ backends: [...backends], definition: sampleDefinition({ retry }) });
  return foldTask(TASK, logOf([{ ...taskEvents["task.admitted"], spec }, ...events]));
}

const startedOn = (backend: string): TaskEvent => ({ ...taskEvents["attempt.started"], backend });
const requeuedTo = (backend: string): TaskEvent => ({ ...taskEvents["task.requeued"], backend });
const called = taskEvents["tool.called"];

describe("a failed attempt without any rule for it", () => {
  it.each(FailReason.options)("is not followed by another after %s", (reason) => {
    expect(nextTry(attempted(["tape"], undefined, startedOn("tape")), reason)).toBeNull();
  });
});

describe("the next backend of the list", () => {
  const reasons = FailReason.options.map((reason) => ({
    reason,
    takesOver: reason === "backend_unavailable" || reason === "rate_limited",
  }));

  it.each(reasons)("after $reason: takes over is $takesOver", ({ reason, takesOver }) => {
    const task = attempted(["claude", "tape"], undefined, startedOn("claude"));
    expect(nextTry(task, reason)).toEqual(takesOver ? { backend: "tape", because: "failover" } : null);
  });

  it("does not take over once a tool was called, in this attempt or an earlier one", () => {
    const now = attempted(["claude", "tape"], undefined, startedOn("claude"), called);
    const before = attempted(["a", "b", "c"], undefined, startedOn("a"), called, requeuedTo("b"), startedOn("b"));
    expect(nextTry(now, "backend_unavailable")).toBeNull();
    expect(nextTry(before, "backend_unavailable")).toBeNull();
  });

  it("takes over although a call was refused: nothing was done", () => {
    const task = attempted(["claude", "tape"], undefined, startedOn("claude"), taskEvents["tool.refused"]);
    expect(nextTry(task, "rate_limited")).toEqual({ backend: "tape", because: "failover" });
  });

  it("is the one after the current, and there is none after the last", () => {
    const second = attempted(["a", "b", "c"], undefined, startedOn("a"), requeuedTo("b"), startedOn("b"));
    const last = attempted(["a", "b"], undefined, startedOn("a"), requeuedTo("b"), startedOn("b"));
    expect(nextTry(second, "rate_limited")).toEqual({ backend: "c", because: "failover" });
    expect(nextTry(last, "rate_limited")).toBeNull();
  });
});

describe("a retry that the definition asks for", () => {
  const retry: Retry = { attempts: 2, on: ["backend_error", "timeout", "backend_unavailable"] };

  it.each([
    ["backend_error", true],
    ["timeout", true],
    ["crashed", false],
    ["rate_limited", false],
    ["refused", false],
  ] as const)("after %s: wanted is %s", (reason, isWanted) => {
    const task = attempted(["tape"], retry, startedOn("tape"));
    expect(nextTry(task, reason)).toEqual(isWanted ? { backend: "tape", because: "retry" } : null);
  });

  it("is made on the same backend, also after tools were called", () => {
    const task = attempted(["a", "b"], retry, startedOn("a"), called);
    expect(nextTry(task, "backend_unavailable")).toEqual({ backend: "a", because: "retry" });
  });

  it("comes after the failover, where both are possible", () => {
    const task = attempted(["a", "b"], retry, startedOn("a"));
    expect(nextTry(task, "backend_unavailable")).toEqual({ backend: "b", because: "failover" });
  });

  it("is made until the attempts are used up, the first one counted", () => {
    const twice = attempted(["a"], retry, startedOn("a"), requeuedTo("a"), startedOn("a"));
    expect(nextTry(twice, "timeout")).toBeNull();
    expect(nextTry(attempted(["a"], { ...retry, attempts: 1 }, startedOn("a")), "timeout")).toBeNull();
  });
});

describe("a task that fails again and again", () => {
  it("is given up after at most its backends and its attempts", () => {
    const anyRetry = fc.option(
      fc.record({
        attempts: fc.integer({ min: 1, max: 5 }),
        on: fc.uniqueArray(
          fc.constantFrom("backend_error" as const, "backend_unavailable" as const, "rate_limited" as const),
        ),
      }),
      { nil: undefined },
    );
    const anyReasons = fc.infiniteStream(fc.constantFrom(...FailReason.options));
    fc.assert(
      fc.property(fc.subarray(["a", "b", "c"], { minLength: 1 }), anyRetry, anyReasons, (backends, retry, reasons) => {
        const events = [startedOn(backends[0] ?? "a")];
        const most = backends.length + (retry?.attempts ?? 0);
        let starts = 1;
        for (const reason of reasons) {
          const next = nextTry(attempted(backends, retry, ...events), reason);
          if (next === null) break;
          expect(backends).toContain(next.backend);
          events.push({ type: "task.requeued", by: "cadre", ...next }, startedOn(next.backend));
          starts += 1;
          expect(starts).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});
