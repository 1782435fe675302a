import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextTry } from "../../src/domain/retries.ts";
import { foldTask } from "../../src/domain/task-projection.ts";
import { type AgentDefinition, FailReason, type TaskEvent, type TaskView } from "../../src/schema/index.ts";
import { logOf, sampleDefinition, sampleSpec, TASK, taskEvents } from "./samples.ts";

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
