// Compiled, never run: a table over the statuses and kinds of a task does not compile until it is whole.
import { kindOf, type TaskEventKind } from "../../src/domain/transitions.ts";
import type { Outcome, TaskEvent, TaskEventType, TaskStatus } from "../../src/schema/index.ts";

type Row = Record<TaskEventKind, TaskStatus | null>;
type Table = Record<TaskStatus | "none", Row>;

const row = {
  admitted: null,
  started: null,
  suspended: null,
  resumed: null,
  requeued: null,
  interrupted: null,
  completed: null,
  failed: null,
  cancelled: null,
  worked: null,
} satisfies Row;

const table = {
  none: row,
  pending: row,
  running: row,
  waiting: row,
  completed: row,
  failed: row,
  cancelled: row,
  interrupted: row,
} satisfies Table;

const { waiting: _waiting, ...tableWithoutRow } = table;
// @ts-expect-error a table that lacks a status
export const missingRow = tableWithoutRow satisfies Table;

const { worked: _worked, ...rowWithoutColumn } = row;
// @ts-expect-error a row that lacks a kind
export const missingColumn = rowWithoutColumn satisfies Row;

// @ts-expect-error a table one row of which lacks a kind
export const missingCell = { ...table, running: rowWithoutColumn } satisfies Table;

export const unknownRow = {
  ...table,
  // @ts-expect-error a status that is not one
  paused: row,
} satisfies Table;

export const unknownColumn = {
  ...row,
  // @ts-expect-error a kind that is not one
  paused: null,
} satisfies Row;

export const unknownStatus = {
  ...row,
  // @ts-expect-error a cell that leads to a status that is not one
  started: "paused",
} satisfies Row;

/** Every type of event has exactly one kind, and `task.ended` one per outcome. */
type KindTable = Record<Exclude<TaskEventType, "task.ended">, TaskEventKind>;

declare const kinds: KindTable;
const { "note.taken": _taken, ...kindsWithoutType } = kinds;
// @ts-expect-error a type of event without a kind
export const missingKind = kindsWithoutType satisfies KindTable;

export const outcomesAreKinds = (status: Outcome["status"]): TaskEventKind => status;
export const kindIsTotal = (event: TaskEvent): TaskEventKind => kindOf(event);

// @ts-expect-error an event of an unknown type has no kind
kindOf({ type: "task.paused" });
