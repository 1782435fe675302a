// Ids, events and their envelopes: what may stand in a log, and that it comes back as it was written.
import { describe, expect, it } from "vitest";
import {
  Amount,
  ApprovalId,
  brandId,
  Budget,
  CallId,
  ControlEvent,
  Envelope,
  InboxEvent,
  InboxItemId,
  LogEvent,
  NOTHING,
  Outcome,
  ReservationId,
  SessionEvent,
  SessionId,
  StreamName,
  TaskEvent,
  TaskId,
  WorkerId,
} from "../../src/schema/index.ts";
import {
  controlEvents,
  inboxEvents,
  logOf,
  outcomes,
  sampleSpec,
  sessionEvents,
  taskEvents,
} from "../domain/samples.ts";

describe("an id", () => {
  const ids = [
    ["task", TaskId],
    ["sess", SessionId],
    ["appr", ApprovalId],
    ["work", WorkerId],
    ["rsrv", ReservationId],
    ["call", CallId],
    ["item", InboxItemId],
  ] as const;

  it.each(ids)("of %s may be of letters, digits and dashes, up to 64 of them", (prefix, schema) => {
    for (const rest of ["1", "01k2ABCxyz", "8f14e45f-ceea-467f", "a".repeat(64)]) {
      expect(schema.parse(`${prefix}_${rest}`)).toBe(`${prefix}_${rest}`);
    }
  });

  it.each(ids)("of %s that we make ourselves is one", (prefix, schema) => {
    expect(schema.parse(brandId(prefix, "01k2-a"))).toBe(`${prefix}_01k2-a`);
  });

  const wrong = [
    ["nothing", ""],
    ["a prefix alone", "task_"],
    ["no prefix", "one"],
    ["another prefix", "job_one"],
    ["a prefix in another case", "TASK_one"],
    ["a longer prefix", "subtask_one"],
    ["a way out of its folder", "task_../one"],
    ["a path", "task_a/b"],
    ["a dot", "task_a.b"],
    ["a backslash", "task_a\\b"],
    ["a space", "task_a b"],
    ["a space before", " task_one"],
    ["a line break after", "task_one\n"],
    ["a NUL", "task_a\0b"],
    ["a letter outside of ASCII", "task_é"],
    ["a second underscore", "task_a_b"],
    ["too many letters", `task_${"a".repeat(65)}`],
  ] as const;

  it.each(wrong)("with %s is refused", (_, text) => {
    expect(TaskId.safeParse(text).success).toBe(false);
    expect(SessionId.safeParse(text.replace("task_", "sess_")).success).toBe(false);
  });

  it.each(ids)("of %s is not mistaken for any other", (prefix, own) => {
    const taken = ids.filter(([, schema]) => schema.safeParse(`${prefix}_one`).success);
    expect(taken.map(([, schema]) => schema)).toEqual([own]);
  });

  it("that is wrong is told how it should look", () => {
    expect(() => TaskId.parse("../one")).toThrow(/must look like task_/);
  });
});

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const families = [
  { family: "TaskEvent", schema: TaskEvent, events: Object.values(taskEvents) },
  { family: "ControlEvent", schema: ControlEvent, events: Object.values(controlEvents) },
  { family: "SessionEvent", schema: SessionEvent, events: Object.values(sessionEvents) },
  { family: "InboxEvent", schema: InboxEvent, events: Object.values(inboxEvents) },
] as const;
const rows = families.flatMap(({ family, schema, events }) =>
  events.map((event) => ({ family, schema, event, type: event.type })),
);

describe("an event", () => {
  it.each(rows)("$type comes back as it was written", ({ schema, event }) => {
    expect(schema.parse(throughJson(event))).toEqual(event);
    expect(LogEvent.parse(throughJson(event))).toEqual(event);
  });

  it.each(rows)("$type with a key that it does not know is refused", ({ schema, event }) => {
    expect(schema.safeParse({ ...event, extra: 1 }).success).toBe(false);
    expect(LogEvent.safeParse({ ...event, extra: 1 }).success).toBe(false);
  });

  it.each(rows)("$type lacks none of its keys", ({ schema, event }) => {
    const accepted = Object.keys(event).filter((key) => {
      const without = Object.fromEntries(Object.entries(event).filter(([name]) => name !== key));
      return schema.safeParse(without).success;
    });
    expect(accepted).toEqual([]);
  });

  it.each(families)("of an unknown type is no $family", ({ schema }) => {
    for (const type of ["task.paused", "Task.ended", "", null, undefined]) {
      expect(schema.safeParse({ type }).success).toBe(false);
    }
  });

  it.each(rows)("$type belongs to one family", ({ family, event }) => {
    const taken = families.filter(({ schema }) => schema.safeParse(event).success);
    expect(taken.map((one) => one.family)).toEqual([family]);
  });

  it("has one sample per type here", () => {
    const types = [TaskEvent, ControlEvent, SessionEvent, InboxEvent].flatMap((schema) =>
      schema.options.map((option) => option.shape.type.value),
    );
    expect(types.toSorted()).toEqual(rows.map(({ type }) => type).toSorted());
  });
});

describe("what an event holds", () => {
  const admitted = taskEvents["task.admitted"];
  const asked = taskEvents["approval.asked"];

  it.each([
    ["a spec with an unknown key", { ...admitted, spec: { ...sampleSpec(), extra: 1 } }],
    [
      "a definition with an unknown key",
      { ...admitted, spec: { ...sampleSpec(), definition: { ...sampleSpec().definition, modle: "x" } } },
    ],
    ["an empty prompt", { ...admitted, spec: sampleSpec({ prompt: "" }) }],
    ["no backend", { ...admitted, spec: sampleSpec({ backends: [] }) }],
    ["a negative depth", { ...admitted, spec: sampleSpec({ depth: -1 }) }],
    ["a task number of zero", { ...admitted, number: 0 }],
    ["turn zero", { type: "turn.started", turn: 0 }],
    ["half a turn", { type: "turn.started", turn: 1.5 }],
    ["an unknown wait", { type: "attempt.suspended", on: "weather" }],
    ["an unknown effect", { ...taskEvents["tool.called"], effect: "fly" }],
    ["an input that is no JSON", { ...taskEvents["tool.called"], input: { when: undefined } }],
    ["an approval with an unknown key", { ...asked, approval: { ...asked.approval, extra: 1 } }],
    ["a negative amount", { ...taskEvents["budget.reserved"], amount: { microUsd: -1, tokens: 0 } }],
    ["a fraction of a millionth", { ...taskEvents["budget.reserved"], amount: { microUsd: 0.5, tokens: 0 } }],
    [
      "a worker without a process",
      { ...taskEvents["attempt.started"], worker: { ...taskEvents["attempt.started"].worker, pid: 0 } },
    ],
    ["a message without words", { ...controlEvents["message.sent"], text: "" }],
    ["an answer without a verdict", { ...controlEvents["answer.given"], answer: { scope: "once" } }],
    ["a denial with a scope", { ...controlEvents["answer.given"], answer: { verdict: "deny", scope: "once" } }],
    ["an allowance without a scope", { ...controlEvents["answer.given"], answer: { verdict: "allow" } }],
    [
      "a breadcrumb of a task that still runs",
      {
        ...sessionEvents["breadcrumb.left"],
        breadcrumb: { ...sessionEvents["breadcrumb.left"].breadcrumb, status: "running" },
      },
    ],
  ])("is not %s", (_, event) => {
    expect(LogEvent.safeParse(event).success).toBe(false);
  });
});

describe("an outcome", () => {
  it.each(Object.values(outcomes))("$status comes back as it was written, whole and nothing more", (outcome) => {
    expect(Outcome.parse(throughJson(outcome))).toEqual(outcome);
    expect(Outcome.safeParse({ ...outcome, extra: 1 }).success).toBe(false);
  });

  it("is one of the three ends, with a reason that is known", () => {
    expect(Outcome.safeParse({ ...outcomes.cancelled, status: "interrupted" }).success).toBe(false);
    expect(Outcome.safeParse({ ...outcomes.failed, reason: "bad luck" }).success).toBe(false);
  });
});

describe("an envelope", () => {
  const [envelope] = logOf([taskEvents["task.admitted"]]);

  it("comes back as it was written", () => {
    expect(Envelope.parse(throughJson(envelope))).toEqual(envelope);
  });

  it.each([
    ["an unknown key", { extra: 1 }],
    ["no place among all", { position: 0 }],
    ["no place in its stream", { seq: 0 }],
    ["attempt zero", { attempt: 0 }],
    ["a stream of nobody", { stream: "task:" }],
    ["an unknown kind of stream", { stream: "other:task_one" }],
  ])("with %s is refused", (_, change) => {
    expect(Envelope.safeParse({ ...envelope, ...change }).success).toBe(false);
  });

  it.each(["task:task_one", "control:task_one", "session:sess_one"])("may be of the stream %s", (stream) => {
    expect(StreamName.parse(stream)).toBe(stream);
  });
});

describe("amounts and budgets", () => {
  it.each([
    [{ microUsd: 0, tokens: 0 }, true],
    [{ microUsd: 1_000_000, tokens: 3 }, true],
    [{ microUsd: -1, tokens: 0 }, false],
    [{ microUsd: 0.1, tokens: 0 }, false],
    [{ microUsd: 2 ** 53, tokens: 0 }, false],
    [{ microUsd: 0 }, false],
    [{ microUsd: 0, tokens: null }, false],
    [{ microUsd: 0, tokens: 0, euros: 0 }, false],
  ])("%j as an amount: %s", (value, ok) => {
    expect(Amount.safeParse(value).success).toBe(ok);
  });

  it("may leave a unit of a budget without a limit, but not unsaid", () => {
    expect(Budget.safeParse({ microUsd: null, tokens: null }).success).toBe(true);
    expect(Budget.safeParse({ microUsd: 1 }).success).toBe(false);
    expect(Budget.safeParse({ microUsd: -1, tokens: null }).success).toBe(false);
  });

  it("share a nothing that nobody can change", () => {
    expect(NOTHING).toEqual({ microUsd: 0, tokens: 0 });
    expect(Object.isFrozen(NOTHING)).toBe(true);
  });
});
