// The life of a task, as a table. A new status or a new kind of event does not compile until every cell is
// answered, and a new event type not until it has a kind.
import { corruptLog } from "../errors/index.ts";
import type { TaskEvent, TaskEventType, TaskStatus } from "../schema/index.ts";

export type TaskEventKind =
  | "admitted"
  | "started"
  | "suspended"
  | "resumed"
  | "requeued"
  | "interrupted"
  | "completed"
  | "failed"
  | "cancelled"
  | "worked";

/** `task.ended` is three kinds, told apart by its outcome; every other type is one. */
const KIND = {
  "task.admitted": "admitted",
  "attempt.started": "started",
  "attempt.suspended": "suspended",
  "attempt.resumed": "resumed",
  "task.requeued": "requeued",
  "task.interrupted": "interrupted",
  "attempt.prepared": "worked",
  "workspace.kept": "worked",
  "attempt.ended": "worked",
  "turn.started": "worked",
  "turn.ended": "worked",
  "instruction.added": "worked",
  "model.replied": "worked",
  "model.failed": "worked",
  "history.compacted": "worked",
  "results.shortened": "worked",
  "message.said": "worked",
  "message.received": "worked",
  "tool.called": "worked",
  "tool.refused": "worked",
  "tool.returned": "worked",
  "tool.reported": "worked",
  "approval.asked": "worked",
  "approval.answered": "worked",
  "approval.expired": "worked",
  "child.started": "worked",
  "child.ended": "worked",
  "budget.reserved": "worked",
  "budget.settled": "worked",
  "gate.checked": "worked",
  "host.refused": "worked",
  "note.taken": "worked",
} as const satisfies Record<Exclude<TaskEventType, "task.ended">, TaskEventKind>;

export const kindOf = (event: TaskEvent): TaskEventKind =>
  event.type === "task.ended" ? event.outcome.status : KIND[event.type];

const no = null; // this cannot happen to a task in this status

/** `none` is a task that does not exist yet. A table reads by its columns, so it is not wrapped. */
// prettier-ignore
const NEXT = {
  none:        { admitted: "pending", started: no,        suspended: no,        resumed: no,        requeued: no,        interrupted: no,            completed: no,          failed: no,       cancelled: no,          worked: no },
  pending:     { admitted: no,        started: "running", suspended: no,        resumed: no,        requeued: no,        interrupted: no,            completed: no,          failed: "failed", cancelled: "cancelled", worked: no },
  running:     { admitted: no,        started: no,        suspended: "waiting", resumed: no,        requeued: "pending", interrupted: "interrupted", completed: "completed", failed: "failed", cancelled: "cancelled", worked: "running" },
  waiting:     { admitted: no,        started: no,        suspended: no,        resumed: "running", requeued: no,        interrupted: "interrupted", completed: no,          failed: "failed", cancelled: "cancelled", worked: "waiting" },
  interrupted: { admitted: no,        started: no,        suspended: no,        resumed: no,        requeued: "pending", interrupted: no,            completed: no,          failed: "failed", cancelled: "cancelled", worked: no },
  completed:   { admitted: no,        started: no,        suspended: no,        resumed: no,        requeued: no,        interrupted: no,            completed: no,          failed: no,       cancelled: no,          worked: no },
  failed:      { admitted: no,        started: no,        suspended: no,        resumed: no,        requeued: "pending", interrupted: no,            completed: no,          failed: no,       cancelled: no,          worked: no },
  cancelled:   { admitted: no,        started: no,        suspended: no,        resumed: no,        requeued: "pending", interrupted: no,            completed: no,          failed: no,       cancelled: no,          worked: no },
} as const satisfies Record<TaskStatus | "none", Record<TaskEventKind, TaskStatus | null>>;

/** Asked before writing: a refused wish is an ordinary answer to whoever had it. */
export const allows = (status: TaskStatus | "none", kind: TaskEventKind): boolean => NEXT[status][kind] !== null;

/** Used when reading. The fact is in the log already, so an impossible one means that the log is damaged. */
export function nextStatus(status: TaskStatus | "none", event: TaskEvent): TaskStatus {
  // An event that this version does not know has no kind.
  const next: TaskStatus | null | undefined = NEXT[status][kindOf(event)];
  if (next === null || next === undefined) throw corruptLog(`"${event.type}" happened to a task that was ${status}`);
  return next;
}

const ENDED = {
  pending: false,
  running: false,
  waiting: false,
  interrupted: false,
  completed: true,
  failed: true,
  cancelled: true,
} as const satisfies Record<TaskStatus, boolean>;

export const hasEnded = (status: TaskStatus): boolean => ENDED[status];

/** Whether anything is still to be expected of a task by itself: an interrupted one waits for a person. */
export const goesOn = ({ status }: { readonly status: TaskStatus }): boolean =>
  !hasEnded(status) && status !== "interrupted";

/** Whether a worker holds a task in this status. */
export const isHeld = (status: TaskStatus): boolean => status === "running" || status === "waiting";
