// What the shell is told. Fixed: scripts depend on it, and docs/reference/exit-codes.md lists it.
import type { ErrorCode } from "../errors/index.ts";
import type { TaskStatus } from "../schema/index.ts";

export const EXIT = {
  ok: 0,
  taskFailed: 1,
  usage: 2,
  environment: 3,
  refused: 4,
  taskUnfinished: 5,
  bug: 70,
  cancelled: 130,
} as const;

export type Exit = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_FOR_ERROR = {
  "input.invalid": EXIT.usage,
  "definition.invalid": EXIT.usage,
  "agent.not-found": EXIT.usage,
  "agent.disabled": EXIT.refused,
  "agent.untrusted": EXIT.refused,
  "task.not-found": EXIT.usage,
  "task.ambiguous": EXIT.usage,
  "task.state": EXIT.refused,
  "session.not-found": EXIT.usage,
  "session.busy": EXIT.refused,
  "approval.not-found": EXIT.usage,
  "approval.closed": EXIT.refused,
  "admission.refused": EXIT.refused,
  "authority.denied": EXIT.refused,
  "attempt.stale": EXIT.refused,
  "backend.not-found": EXIT.environment,
  "home.invalid": EXIT.environment,
  "store.unavailable": EXIT.environment,
  "workspace.failed": EXIT.environment,
  "log.corrupt": EXIT.environment,
} as const satisfies Record<ErrorCode, Exit>;

/** Of a command that waited for a task: silence or an unfinished task is not success. */
export const EXIT_FOR_STATUS = {
  pending: EXIT.taskUnfinished,
  running: EXIT.taskUnfinished,
  waiting: EXIT.taskUnfinished,
  interrupted: EXIT.taskUnfinished,
  completed: EXIT.ok,
  failed: EXIT.taskFailed,
  cancelled: EXIT.cancelled,
} as const satisfies Record<TaskStatus, Exit>;
