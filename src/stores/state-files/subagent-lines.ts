// The lines of `subagents-YYYYMMDD.log`, which programs read: `[time] [subagent:4] [codex] Starting: …`.
import { onLine } from "../../domain/on-line.ts";
import { savedAfter } from "../../domain/summaries.ts";
import type { TaskView } from "../../schema/index.ts";

const head = ({ number, backend }: TaskView): string => `[subagent:${number}] [${backend}]`;

export const startingLine = (view: TaskView): string => `${head(view)} Starting: ${onLine(view.spec.prompt)}`;

/** How the last attempt went. One that is tried again, was stopped or was cut off has failed as an attempt. */
export function attemptEndLines(view: TaskView): string[] {
  const { outcome } = view;
  const attempt = view.attempts.at(-1);
  if (attempt === undefined) return [];
  // The view names the backend of the next attempt already, if there is one.
  const of = head({ ...view, backend: attempt.backend });
  if (outcome?.status !== "completed") {
    return [`${of} Failed: ${outcome?.status === "cancelled" ? "cancelled" : (attempt.reason ?? "interrupted")}`];
  }
  const ms = Math.max(0, (view.endedAt ?? view.updatedAt) - attempt.startedAt);
  const saved = outcome.recovered === null ? "" : ` (${savedAfter(outcome.recovered)})`;
  return [`${of} Output: ${onLine(outcome.answer)}`, `${of} Completed in ${ms}ms${saved}`];
}
