import type { LivePart, TaskId } from "../schema/index.ts";

/**
 * Where live parts go: a terminal in this process, a log file for others.
 *
 * - Both MUST return at once and MUST NOT fail: what is shown never holds up the work.
 */
export interface LiveParts {
  write(task: TaskId, part: LivePart): void;
  /** Nothing more comes of this attempt: a line that stands open is finished. */
  over?(task: TaskId): void;
}
