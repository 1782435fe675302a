// A task's status in the words of others. A new status does not compile until every dialect has a word.
import type { TaskStatus } from "../schema/index.ts";

export type Dialect = "cadre" | "gemini" | "glee" | "gencode" | "yeet";

// A table reads by its columns, so it is not wrapped.
// prettier-ignore
export const STATUS_WORDS = {
  pending:     { cadre: "pending",     gemini: "pending",   glee: "pending",   gencode: "pending",       yeet: "queued" },
  running:     { cadre: "running",     gemini: "running",   glee: "running",   gencode: "still running", yeet: "running" },
  waiting:     { cadre: "waiting",     gemini: "running",   glee: "running",   gencode: "still running", yeet: "waiting" },
  completed:   { cadre: "completed",   gemini: "complete",  glee: "completed", gencode: "completed",     yeet: "complete" },
  failed:      { cadre: "failed",      gemini: "failed",    glee: "error",     gencode: "failed",        yeet: "error" },
  cancelled:   { cadre: "cancelled",   gemini: "cancelled", glee: "cancelled", gencode: "killed",        yeet: "cancelled" },
  interrupted: { cadre: "interrupted", gemini: "pending",   glee: "error",     gencode: "failed",        yeet: "interrupted" },
} as const satisfies Record<TaskStatus, Record<Dialect, string>>;

export const statusWord = (status: TaskStatus, dialect: Dialect): string => STATUS_WORDS[status][dialect];

export const isStatusWord = (word: string, dialect: Dialect): boolean =>
  Object.values(STATUS_WORDS).some((words) => words[dialect] === word);
