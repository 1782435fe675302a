// The Tasks extension of the protocol: a caller that declares it is given the task itself and asks after it. The same
// task, by the same id, is there for `task_output` and `task_stop`.
import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import type { TaskStatus, TaskView } from "../schema/index.ts";
import { type HostQuestion, requestsFor } from "./ask-host.ts";
import { errorOf, openQuestions } from "./show/outcome-words.ts";

const POLL_MS = 1_000;

const STATE = {
  pending: "working",
  running: "working",
  waiting: "working",
  interrupted: "working",
  completed: "completed",
  // `failed` is for calls that broke: work that failed is a result, with its error in it.
  failed: "completed",
  cancelled: "cancelled",
} as const satisfies Record<TaskStatus, string>;

export const TaskParams = z.looseObject({ taskId: z.string() });

const head = (task: TaskView) => ({
  taskId: task.id,
  status: STATE[task.status],
  statusMessage: messageOf(task),
  createdAt: new Date(task.createdAt).toISOString(),
  lastUpdatedAt: new Date(task.updatedAt).toISOString(),
  ttlMs: null, // it is in the log, for as long as that is kept
  pollIntervalMs: POLL_MS,
});

/** Instead of a result. The task is in the log by now: this reply may get lost. */
export const createdTask = (task: TaskView) => ({ resultType: "task" as const, ...head(task) });

const INTERNAL_ERROR = -32_603;

/** A result only once there is one; questions only where this caller's user is asked. */
export function shownTask(task: TaskView, result: CallToolResult, questions: readonly HostQuestion[]) {
  const shown = head(task);
  if (questions.length > 0) return { ...shown, status: "input_required", inputRequests: requestsFor(questions) };
  const { outcome } = task;
  // Nothing was worked on to an end, so there is no result to show either.
  if (outcome?.status === "failed" && outcome.reason === "crashed")
    return { ...shown, status: "failed", error: { code: INTERNAL_ERROR, message: outcome.message } };
  return shown.status === "completed" ? { ...shown, result } : shown;
}

function messageOf(task: TaskView): string {
  if (openQuestions(task).length > 0) return "waits for a person's answer: cadre inbox";
  return errorOf(task) ?? `${task.spec.definition.name}#${task.number} ${task.status}, turn ${task.turns}`;
}
