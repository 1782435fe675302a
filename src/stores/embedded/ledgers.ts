import { type Ledger, openLedger, reserveIn, settleIn } from "../../domain/budgets.ts";
import type { Budget, Cost, ReservationId, ReservationUse, TaskId } from "../../schema/index.ts";
import type { LedgerRow, Reservation, Tables } from "./tables.ts";

/** Of what nothing limits nobody waits for anything. */
const isWhole = ({ amount, use }: Reservation): boolean =>
  use === "whole" && ((amount.microUsd ?? 0) > 0 || amount.tokens > 0);

/** Budgets of all tasks, each charged up to its root. Called inside transactions. */
export class Ledgers {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  open(task: TaskId, parent: TaskId | null, limit: Budget): void {
    this.#tables.putLedger({ task, parent, ledger: openLedger(limit), open: [] });
  }

  /** What a task that is not admitted yet would have to fit. */
  chainFor(parent: TaskId | null, limit: Budget): Ledger[] {
    return [openLedger(limit), ...(parent === null ? [] : this.chainOf(parent))];
  }

  chainOf(task: TaskId): Ledger[] {
    return this.#above(task).map(({ ledger }) => ledger);
  }

  /** Whether this task, or one above it, has set aside the whole of something: who waits for that waits for all below it. */
  isBelowWhole(task: TaskId): boolean {
    return this.#above(task).some(({ open }) => open.some(isWhole));
  }

  reserve(task: TaskId, id: ReservationId, amount: Cost, use: ReservationUse): void {
    const opened = [...this.openOf(task), { id, amount, use }];
    this.#change(task, opened, (ledger) => reserveIn(ledger, amount, use));
  }

  /** Returns what was reserved; nothing if it was settled before. */
  settle(task: TaskId, id: ReservationId, spent: Cost): Cost | undefined {
    const open = this.openOf(task);
    const found = open.find((one) => one.id === id);
    if (found === undefined) return undefined;
    const rest = open.filter((one) => one.id !== id);
    this.#change(task, rest, (ledger) => settleIn(ledger, found.amount, spent, found.use));
    return found.amount;
  }

  isOpen(task: TaskId, id: ReservationId): boolean {
    return this.openOf(task).some((one) => one.id === id);
  }

  openOf(task: TaskId): readonly Reservation[] {
    return this.#tables.ledger(task)?.open ?? [];
  }

  #change(task: TaskId, open: readonly Reservation[], change: (ledger: Ledger) => Ledger): void {
    for (const row of this.#above(task)) {
      this.#tables.putLedger({ ...row, ledger: change(row.ledger), ...(row.task === task && { open }) });
    }
  }

  #above(task: TaskId): LedgerRow[] {
    const chain: LedgerRow[] = [];
    for (let next: TaskId | null = task; next !== null;) {
      const row = this.#tables.ledger(next);
      if (row === undefined) break;
      chain.push(row);
      next = row.parent;
    }
    return chain;
  }
}
