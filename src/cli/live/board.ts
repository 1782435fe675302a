// What is shown of the tasks that run: one line each, children below their parents.
import type { Envelope, TaskId, TaskSpec, TaskStatus, TaskView } from "../../schema/index.ts";
import { asCalled } from "../render/as-called.ts";
import { type Colors, colorsFor, paintStatus, SYMBOL } from "../render/colors.ts";
import { duration } from "../render/durations.ts";
import { eventLine } from "../render/events.ts";

interface Row {
  readonly stream: string;
  readonly name: string;
  readonly depth: number;
  status: TaskStatus;
  since: number | null;
  last: string;
}

export interface Board {
  /** Takes an event, and gives the lines that are to stay. */
  take(envelope: Envelope): string[];
  waits(stream: string, why: string): void;
  lines(now: number): string[];
}

const MIN_WIDTH = 12;
const PLAIN = colorsFor(false);
const GAP = "  ";

export function newBoard(colors: Colors, known: readonly TaskView[] = []): Board {
  const rows: Row[] = [];
  const retired = new Map<string, Row>();
  const calls = asCalled();
  let width = MIN_WIDTH;

  const introduce = (stream: string, spec: TaskSpec, number: number, status: TaskStatus, since: number | null) => {
    const { definition, depth, parent } = spec;
    const name = `${GAP.repeat(depth)}${definition.name}#${number}`;
    width = Math.max(width, name.length);
    rows.splice(placeFor(rows, parent, depth), 0, { stream, name, depth, status, since, last: "queued" });
  };
  for (const { id, spec, number, status, startedAt } of known) introduce(`task:${id}`, spec, number, status, startedAt);

  const retire = (row: Row, status: TaskStatus): void => {
    rows.splice(rows.indexOf(row), 1);
    row.status = status;
    retired.set(row.stream, row);
  };
  const bringBack = (row: Row): void => {
    retired.delete(row.stream);
    row.status = "pending";
    row.since = null;
    rows.push(row);
  };
  const named = (row: Row, text: string): string =>
    `${paintStatus(colors, row.status, SYMBOL[row.status])} ${colors.bold(row.name.padEnd(width))}${GAP}${text}`;

  return {
    take(envelope) {
      const { stream, event, at } = envelope;
      if (event.type === "task.admitted") introduce(stream, event.spec, event.number, "pending", null);
      const old = retired.get(stream);
      if (old !== undefined && event.type === "task.requeued") bringBack(old);
      const row = rows.find((one) => one.stream === stream);
      if (row === undefined) return [];
      row.last = eventLine(calls(envelope), PLAIN)?.trim() ?? row.last;
      const end = endedAs(envelope);
      if (end !== null) {
        retire(row, end);
        const took = row.since === null ? "" : colors.dim(` after ${duration(at - row.since)}`);
        return [named(row, `${eventLine(envelope, colors)}${took}`)];
      }
      row.status = statusAfter(envelope) ?? row.status;
      if (event.type === "attempt.started") row.since = at;
      return [];
    },
    waits(stream, why) {
      const row = rows.find((one) => one.stream === stream);
      if (row !== undefined) row.last = `waits: ${why}`;
    },
    lines: (now) =>
      rows.map((row) => named(row, `${colors.dim(elapsed(row, now).padEnd(TIME_WIDTH))}${GAP}${row.last}`)),
  };
}

/** After its parent and everything else below that; without one, at the end. */
function placeFor(rows: readonly Row[], parent: TaskId | null, depth: number): number {
  const above = rows.findIndex(({ stream }) => stream === `task:${parent}`);
  if (above < 0) return rows.length;
  const next = rows.findIndex((row, index) => index > above && row.depth < depth);
  return next < 0 ? rows.length : next;
}

function endedAs({ event }: Envelope): TaskStatus | null {
  if (event.type === "task.ended") return event.outcome.status;
  return event.type === "task.interrupted" ? "interrupted" : null;
}

function statusAfter({ event }: Envelope): TaskStatus | undefined {
  if (event.type === "attempt.started" || event.type === "attempt.resumed") return "running";
  if (event.type === "attempt.suspended") return "waiting";
  return event.type === "task.requeued" ? "pending" : undefined;
}

const TIME_WIDTH = 7;
const SECOND_MS = 1000;

/** In whole seconds: tenths would be noise at the edge of somebody's eye. */
function elapsed({ since }: Row, now: number): string {
  if (since === null) return "";
  const seconds = Math.max(0, Math.floor((now - since) / SECOND_MS));
  return seconds < 60 ? `${seconds} s` : duration(seconds * SECOND_MS);
}
