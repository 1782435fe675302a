// What the holder of a task writes, in one transaction: facts, and what is set aside and given back between them.
import { shareOf, shortfall, wholeCap } from "../../domain/budgets.ts";
import { allows, kindOf, nextStatus } from "../../domain/transitions.ts";
import { corruptLog } from "../../errors/index.ts";
import type { Appended, HeldEntry, Hold, Reserve, ReserveAnswer } from "../../ports/index.ts";
import { NOTHING, type ReservationId, type TaskEvent, type TaskId, type TaskStatus } from "../../schema/index.ts";
import type { Ledgers } from "./ledgers.ts";
import type { Sessions } from "./sessions.ts";
import type { Durability } from "./tables.ts";
import type { TaskLog } from "./task-log.ts";

interface WrittenBy {
  readonly log: TaskLog;
  readonly ledgers: Ledgers;
  readonly sessions: Sessions;
}

export function writeEntries(by: WrittenBy, hold: Hold, entries: readonly HeldEntry[]): Appended {
  const { log, ledgers, sessions } = by;
  const { task: id, attempt } = hold;
  const { status } = log.checkHold(hold);
  check(id, status, entries, ledgers);
  const reserved: ReserveAnswer[] = [];
  const task = log.addAll(id, attempt, (add) => {
    for (const entry of entries) {
      if (entry.type === "reserve") reserved.push(reserve(ledgers, id, entry, add));
      else if (entry.type === "settle") add(settled(ledgers, id, entry));
      else if ("session" in entry) sessions.add(entry);
      else {
        if (LEAVES.has(entry.type)) chargeOpen(ledgers, id, add);
        add(entry);
      }
    }
  });
  return { task, reserved };
}

/** Before the first is written: a batch is all or nothing. */
function check(task: TaskId, before: TaskStatus, entries: readonly HeldEntry[], ledgers: Ledgers): void {
  let status = before;
  /** Those of this batch: whether they are open after it. */
  const openAfter = new Map<ReservationId, boolean>();
  const isOpen = (id: ReservationId) => openAfter.get(id) ?? ledgers.isOpen(task, id);
  for (const entry of entries) {
    if ("session" in entry) continue;
    const kind = entry.type === "reserve" || entry.type === "settle" ? "worked" : kindOf(entry);
    if (!allows(status, kind)) throw corruptLog(`"${entry.type}" cannot happen to a ${status} task`);
    if (entry.type === "reserve") {
      if (isOpen(entry.reservation)) throw corruptLog(`${entry.reservation} is reserved already`);
      openAfter.set(entry.reservation, true);
    } else if (entry.type === "settle") {
      if (!isOpen(entry.reservation)) throw notReserved(entry.reservation);
      openAfter.set(entry.reservation, false);
    } else status = nextStatus(status, entry);
  }
}

type Add = (event: TaskEvent) => void;

function reserve(
  ledgers: Ledgers,
  task: TaskId,
  { reservation, amount: asked, use, share }: Reserve,
  add: Add,
): ReserveAnswer {
  const chain = ledgers.chainOf(task);
  const cap = wholeCap(chain);
  const wanted = asked === "whole" || share === undefined ? asked : shareOf(chain, asked, share);
  // Nothing has to be kept for later where nothing can run out.
  const amount = wanted === "whole" || (use === "later" && cap === null) ? cap : wanted;
  const short = shortfall(chain, amount ?? NOTHING);
  if (short !== null) return { kind: "short", ...short };
  if (amount === null) return { kind: "reserved", amount };
  ledgers.reserve(task, reservation, amount, use);
  add({ type: "budget.reserved", reservation, amount, use });
  return { kind: "reserved", amount };
}

function settled(
  ledgers: Ledgers,
  task: TaskId,
  { reservation, spent }: Extract<HeldEntry, { type: "settle" }>,
): TaskEvent {
  const reserved = ledgers.settle(task, reservation, spent);
  if (reserved === undefined) throw notReserved(reservation);
  return { type: "budget.settled", reservation, reserved, spent };
}

const notReserved = (reservation: ReservationId) => corruptLog(`${reservation} was settled twice, or never reserved`);

/** What is still reserved when an attempt ends counts as spent: the call may have been made. */
export function chargeOpen(ledgers: Ledgers, task: TaskId, add: Add): void {
  for (const { id, amount, use } of ledgers.openOf(task)) {
    const spent = use === "later" ? NOTHING : amount;
    ledgers.settle(task, id, spent);
    add({ type: "budget.settled", reservation: id, reserved: amount, spent });
  }
}

const LEAVES: ReadonlySet<TaskEvent["type"]> = new Set(["task.ended", "task.requeued", "task.interrupted"] as const);

/** Nothing is done because of an end: that it is on the disk follows. */
export const durabilityOf = (entries: readonly HeldEntry[]): Durability =>
  entries.some(({ type }) => type === "task.ended") ? "soon" : "process";
