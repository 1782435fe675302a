import { type Ledger, openLedger, reserveIn, settleIn } from "../../domain/budgets.ts";
import type { Amount, Budget, ReservationId, ReservationUse, TaskId } from "../../schema/index.ts";
import type { LedgerRow, ReservationRow, Tables } from "./tables.ts";

/** Budgets of all tasks, each charged up to its root. Called inside transactions. */
export class Ledgers {
  readonly #tables: Tables;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  open(task: TaskId, parent: TaskId | null, limit: Budget): void {
    this.#tables.putLedger({ task, parent, ledger: openLedger(limit) });
  }

  /** What a task that is not admitted yet would have to fit. */
  chainFor(parent: TaskId | null, limit: Budget): Ledger[] {
    return [openLedger(limit), ...(parent === null ? [] : this.chainOf(parent))];
  }

  chainOf(task: TaskId): Ledger[] {
    return this.#above(task).map(({ ledger }) => ledger);
  }

  reserve(task: TaskId, id: ReservationId, amount: Amount, use: ReservationUse): void {
    this.#tables.putReservation({ id, task, amount, use });
    for (const row of this.#above(task)) this.#tables.putLedger({ ...row, ledger: reserveIn(row.ledger, amount) });
  }

  /** Returns what was reserved; nothing if it was settled before. */
  settle(task: TaskId, id: ReservationId, spent: Amount): Amount | undefined {
    const open = this.#tables.reservation(task, id);
    if (open === undefined) return undefined;
    this.#tables.dropReservation(task, id);
    for (const row of this.#above(task)) {
      this.#tables.putLedger({ ...row, ledger: settleIn(row.ledger, open.amount, spent) });
    }
    return open.amount;
  }

  isOpen(task: TaskId, id: ReservationId): boolean {
    return this.#tables.reservation(task, id) !== undefined;
  }

  openOf(task: TaskId): ReservationRow[] {
    return this.#tables.reservationsOf(task);
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
