// How a task ended, in words that every dialect uses.
import { unheardWords } from "../../operations/words.ts";
import type { TaskView } from "../../schema/index.ts";
import { inLine } from "./in-line.ts";

/** What there is of an answer: also of work that failed, or that was stopped. */
export const answerOf = ({ outcome }: TaskView): string | null => outcome?.answer ?? null;

export function errorOf({ outcome, interruption }: TaskView): string | null {
  switch (outcome?.status) {
    case "completed":
      return null;
    case "failed":
      return `${outcome.reason}: ${outcome.message}`;
    case "cancelled":
      return `stopped by ${outcome.by}`;
    case undefined:
      return interruption;
  }
}

/** What an answer does not say of itself: that it is not whole, and that somebody was not heard. A line each. */
export function remarksOf(task: TaskView): string[] {
  const isCut = task.outcome?.status === "completed" && task.outcome.truncated;
  return [...(isCut ? ["The answer was too long, and is cut."] : []), ...unheardWords(task).map(inLine)];
}

/** Of one that is at work, until now: it may say nothing for a long time. */
export function durationOf({ startedAt, endedAt, updatedAt, holder }: TaskView): number {
  if (startedAt === null) return 0;
  return (endedAt ?? (holder === null ? updatedAt : Math.max(updatedAt, Date.now()))) - startedAt;
}

export const openQuestions = ({ approvals }: TaskView) => approvals.filter(({ state }) => state === "open");
