// What the holder of a task writes, in one transaction: facts, and what is set aside and given back between them.
import { mayFitSoon, settleIn, shareOf, shortfall, wholeCap } from "../../domain/budgets.ts";
import { allows, kindOf, nextStatus } from "../../domain/transitions.ts";
import { corruptLog } from "../../errors/index.ts";
import type { Appended, HeldEntry, HeldEvent, Hold, Reserve, ReserveAnswer, Settle } from "../../ports/index.ts";
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
        if (isOver(entry)) settleAll(ledgers, id, add);
        else if (LEAVES.has(entry.type)) chargeCalls(ledgers, id, add);
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
      if (entry.insteadOf !== undefined && !isOpen(entry.insteadOf)) throw notReserved(entry.insteadOf);
      if (entry.insteadOf !== undefined) openAfter.set(entry.insteadOf, false);
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
  { reservation, amount: asked, use, share, begins, insteadOf }: Reserve,
  add: Add,
): ReserveAnswer {
  const kept = use === "later" ? ledgers.openOf(task).find((open) => open.use === "later") : undefined;
  if (kept !== undefined) return { kind: "reserved", reservation: kept.id, amount: kept.amount };
  const given = ledgers.openOf(task).find(({ id }) => id === insteadOf);
  const chain = ledgers
    .chainOf(task)
    .map((ledger) => (given === undefined ? ledger : settleIn(ledger, given.amount, NOTHING, given.use)));
  const cap = wholeCap(chain);
  const wanted = asked === "whole" || share === undefined ? asked : shareOf(chain, asked, share);
  // Nothing has to be kept for later where nothing can run out.
  const amount = wanted === "whole" || (use === "later" && cap === null) ? cap : wanted;
  const short = shortfall(chain, amount ?? NOTHING);
  if (short !== null)
    return { kind: "short", ...short, isBusy: mayFitSoon(chain, amount ?? NOTHING, ledgers.isBelowWhole(task)) };
  if (insteadOf !== undefined) add(settled(ledgers, task, { reservation: insteadOf, spent: NOTHING }));
  if (begins !== undefined) add(begins);
  if (amount === null) return { kind: "reserved", reservation, amount };
  ledgers.reserve(task, reservation, amount, use);
  add({ type: "budget.reserved", reservation, amount, use });
  return { kind: "reserved", reservation, amount };
}

function settled(ledgers: Ledgers, task: TaskId, entry: Omit<Settle, "type">): TaskEvent {
  const reserved = ledgers.settle(task, entry.reservation, entry.spent);
  if (reserved === undefined) throw notReserved(entry.reservation);
  return { ...entry, type: "budget.settled", reserved };
}

const notReserved = (reservation: ReservationId) => corruptLog(`${reservation} was settled twice, or never reserved`);

/**
 * What is still reserved for a call when an attempt ends counts as spent: the call may have been made. What is kept for later
 * stays with the task: others that go on first must not take it.
 */
export function chargeCalls(ledgers: Ledgers, task: TaskId, add: Add): void {
  for (const { id, amount, use } of ledgers.openOf(task)) {
    if (use !== "later") add(settled(ledgers, task, { reservation: id, spent: amount, isBound: true }));
  }
}

function settleAll(ledgers: Ledgers, task: TaskId, add: Add): void {
  chargeCalls(ledgers, task, add);
  for (const { id } of ledgers.openOf(task)) add(settled(ledgers, task, { reservation: id, spent: NOTHING }));
}

/** For whoever runs it. Another backend keeps nothing for later, or keeps its own. */
const isOver = (event: HeldEvent): boolean =>
  event.type === "task.ended" || (event.type === "task.requeued" && event.because === "failover");

const LEAVES: ReadonlySet<TaskEvent["type"]> = new Set(["task.requeued", "task.interrupted"] as const);

/** Nothing is done because of an end: that it is on the disk follows. */
export const durabilityOf = (entries: readonly HeldEntry[]): Durability =>
  entries.some(({ type }) => type === "task.ended") ? "soon" : "process";
