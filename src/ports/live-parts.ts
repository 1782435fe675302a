import type { LivePart, TaskId } from "../schema/index.ts";

/**
 * Where live parts go: a terminal in this process, a log file for others.
 *
 * - `write` MUST return at once and MUST NOT fail: what is shown never holds up the work.
 */
export interface LiveParts {
  write(task: TaskId, part: LivePart): void;
}
