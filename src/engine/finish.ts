// The end of an attempt, in one transaction: how it ended, what becomes of the task, what the session keeps,
// and the breadcrumb for the parent.
import { nextTry } from "../domain/retries.ts";
import { breadcrumbOf, capText, notDoneAfter } from "../domain/summaries.ts";
import type { HeldEvent } from "../ports/index.ts";
import type { FailReason, Outcome, SessionId, TaskView } from "../schema/index.ts";
import type { OverReason } from "./attempt-over.ts";
import { coolDown, coolingAmong } from "./cooling.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";
import type { RunResult } from "./run-backend.ts";
import { goOn } from "./recover.ts";
import { stopChildren } from "./stop.ts";

export async function finish(
  parts: RunningParts,
  journal: Journal,
  result: RunResult,
  reason: OverReason | undefined,
): Promise<void> {
  const { store } = parts;
  // An answer that was there is one, however long it took to let go of what the attempt had.
  const isLate = result.kind === "answered" && (reason?.kind === "timeout" || reason?.kind === "shutdown");
  const over = isLate ? undefined : reason;
  // What it had said by then is part of how it ended.
  if (result.kind !== "answered" || over !== undefined) await journal.written();
  const task = await store.task(journal.hold.task);
  if (task === undefined || over?.kind === "lost") return;
  if (over?.kind === "shutdown" && task.stopRequestedBy === null) {
    // Whoever else works may take it at once: a parent may wait for it there.
    return goOn(parts, await journal.end({ type: "task.interrupted", why: "its worker was shut down" }));
  }
  const outcome = outcomeOf(task, result, over);
  const cooled = await coolDown(parts, task, outcome, result);
  const again =
    outcome.status === "failed" && task.status === "running"
      ? nextTry(task, outcome.reason, await coolingAmong(parts, task.spec.backends, task.spec))
      : null;
  if (again !== null) {
    await journal.end(...cooled, attemptEnded(outcome), { type: "task.requeued", ...again, by: "cadre" });
    return;
  }
  // Before the end is written and after it: a worker that dies in between leaves none of them running.
  const stopAll = (view: TaskView) =>
    outcome.status === "completed" ? undefined : stopChildren(parts, view, "its parent, which has ended");
  await stopAll(task);
  const parent = task.spec.parent === null ? undefined : await store.task(task.spec.parent);
  const ended = await journal.end(
    ...cooled,
    attemptEnded(outcome),
    { type: "task.ended", outcome },
    ...kept(task, outcome),
    ...(parent === undefined ? [] : [breadcrumb(task, outcome, parent.spec.session)]),
  );
  await stopAll(ended);
}

function outcomeOf(task: TaskView, result: RunResult, over: OverReason | undefined): Outcome {
  // An answer that was there is kept, also where a stop came meanwhile.
  const given = result.kind === "answered" ? capText(result.answer, task.spec.limits.maxOutputKb) : undefined;
  const answer = given?.text ?? task.lastSaid;
  const stoppedBy = over?.kind === "stopped" ? over.by : over?.kind === "shutdown" ? task.stopRequestedBy : null;
  if (stoppedBy !== null) {
    return { status: "cancelled", by: stoppedBy, how: result.kind === "abandoned" ? "forced" : "cooperative", answer };
  }
  if (over?.kind === "timeout") {
    return { status: "failed", reason: "timeout", message: notDoneAfter(task.spec.limits.timeoutMs), answer };
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
  if (result.kind !== "answered" || given === undefined) {
    return { status: "failed", reason: "crashed", message: "the backend ended without saying how", answer };
  }
  const recovered = result.recovered === undefined ? null : { limit: result.recovered };
  const truncated = given.truncated || result.isCut;
  return {
    status: "completed",
    answer: given.text,
    output: result.output,
    evidence: result.evidence,
    recovered,
    truncated,
  };
}

function attemptEnded(outcome: Outcome): HeldEvent {
  const reason: FailReason | null = outcome.status === "failed" ? outcome.reason : null;
  const message = outcome.status === "failed" ? outcome.message : null;
  return { type: "attempt.ended", end: outcome.status, reason, message };
}

function kept(task: TaskView, outcome: Outcome): HeldEvent[] {
  if (outcome.status !== "completed") return [];
  const message = { role: "assistant", content: outcome.answer, task: task.id } as const;
  return [{ type: "message.kept", session: task.spec.session, message }];
}

const breadcrumb = (task: TaskView, outcome: Outcome, session: SessionId): HeldEvent => ({
  type: "breadcrumb.left",
  session,
  breadcrumb: breadcrumbOf(task, outcome),
});
