// The end of an attempt, in one transaction: how it ended, what becomes of the task, what the session keeps,
// and the breadcrumb for the parent.
import { nextTry } from "../domain/retries.ts";
import { capText, summarize } from "../domain/summaries.ts";
import type { HeldEvent, Hold } from "../ports/index.ts";
import type { FailReason, Outcome, SessionEvent, SessionId, TaskView } from "../schema/index.ts";
import type { OverReason } from "./attempt-over.ts";
import type { RunningParts } from "./parts.ts";
import type { RunResult } from "./run-backend.ts";
import { stopChildren } from "./stop.ts";

export async function finish(
  parts: RunningParts,
  hold: Hold,
  result: RunResult,
  over: OverReason | undefined,
): Promise<void> {
  const { store } = parts;
  const task = await store.task(hold.task);
  if (task === undefined || over?.kind === "lost") return;
  if (over?.kind === "shutdown") {
    await store.append(hold, [{ type: "task.interrupted", why: "its worker was shut down" }]);
    return;
  }
  const outcome = outcomeOf(task, result, over);
  const again = outcome.status === "failed" && task.status === "running" ? nextTry(task, outcome.reason) : null;
  if (again !== null) {
    await store.append(hold, [attemptEnded(outcome), { type: "task.requeued", ...again, by: "cadre" }]);
    return;
  }
  const parent = task.spec.parent === null ? undefined : await store.task(task.spec.parent);
  await store.append(hold, [
    attemptEnded(outcome),
    { type: "task.ended", outcome },
    ...kept(task, outcome),
    ...(parent === undefined ? [] : [breadcrumb(task, outcome, parent.spec.session)]),
  ]);
  if (outcome.status !== "completed") await stopChildren(parts, task, "its parent, which has ended");
}

function outcomeOf(task: TaskView, result: RunResult, over: OverReason | undefined): Outcome {
  const answer = task.lastSaid;
  if (over?.kind === "stopped") {
    return { status: "cancelled", by: over.by, how: result.kind === "abandoned" ? "forced" : "cooperative", answer };
  }
  if (over?.kind === "timeout") {
    const seconds = Math.round(task.spec.limits.timeoutMs / 1000);
    return { status: "failed", reason: "timeout", message: `not done after ${seconds} s`, answer };
  }
  if (task.status === "waiting") {
    return {
      status: "failed",
      reason: "crashed",
      message: "the backend ended while it still waited for something",
      answer,
    };
  }
  if (result.kind === "failed") return { status: "failed", reason: result.reason, message: result.message, answer };
  if (result.kind !== "answered") {
    return { status: "failed", reason: "crashed", message: "the backend ended without saying how", answer };
  }
  const { text, truncated } = capText(result.answer, task.spec.limits.maxOutputKb);
  const recovered = result.recovered === undefined ? null : { limit: result.recovered };
  return { status: "completed", answer: text, output: result.output, evidence: result.evidence, recovered, truncated };
}

function attemptEnded(outcome: Outcome): HeldEvent {
  const reason: FailReason | null = outcome.status === "failed" ? outcome.reason : null;
  const message = outcome.status === "failed" ? outcome.message : null;
  return { type: "attempt.ended", end: outcome.status, reason, message };
}

function kept(task: TaskView, outcome: Outcome): SessionEvent[] {
  if (outcome.status !== "completed") return [];
  const message = { role: "assistant", content: outcome.answer, task: task.id } as const;
  return [{ type: "message.kept", session: task.spec.session, message }];
}

function breadcrumb(task: TaskView, outcome: Outcome, session: SessionId): SessionEvent {
  return {
    type: "breadcrumb.left",
    session,
    breadcrumb: {
      task: task.id,
      session: task.spec.session,
      agent: task.spec.definition.name,
      status: outcome.status,
      summary: summarize(outcome),
    },
  };
}
