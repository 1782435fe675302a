import { type Ledger, openLedger, reserveIn, settleIn } from "../../domain/budgets.ts";
import type { Amount, Budget, ReservationId, TaskId } from "../../schema/index.ts";

interface Entry {
  readonly parent: TaskId | null;
  ledger: Ledger;
}

/** Budgets of all tasks, each charged up to its root. */
export class MemoryLedgers {
  readonly #entries = new Map<TaskId, Entry>();
  readonly #open = new Map<ReservationId, { task: TaskId; amount: Amount }>();

  open(task: TaskId, parent: TaskId | null, limit: Budget): void {
    this.#entries.set(task, { parent, ledger: openLedger(limit) });
  }

  /** What a task that is not admitted yet would have to fit. */
  chainFor(parent: TaskId | null, limit: Budget): Ledger[] {
    return [openLedger(limit), ...(parent === null ? [] : this.chainOf(parent))];
  }

  chainOf(task: TaskId): Ledger[] {
    return this.#above(task).map(({ ledger }) => ledger);
  }

  reserve(task: TaskId, id: ReservationId, amount: Amount): void {
    this.#open.set(id, { task, amount });
    for (const entry of this.#above(task)) entry.ledger = reserveIn(entry.ledger, amount);
  }

  /** Returns what was reserved; nothing if it was settled before. */
  settle(id: ReservationId, spent: Amount): Amount | undefined {
    const open = this.#open.get(id);
    if (open === undefined) return undefined;
    this.#open.delete(id);
    for (const entry of this.#above(open.task)) entry.ledger = settleIn(entry.ledger, open.amount, spent);
    return open.amount;
  }

  openOf(task: TaskId): { id: ReservationId; amount: Amount }[] {
    return [...this.#open].filter(([, open]) => open.task === task).map(([id, { amount }]) => ({ id, amount }));
  }

  #above(task: TaskId | null): Entry[] {
    const chain: Entry[] = [];
    for (let next = task; next !== null; ) {
      const entry = this.#entries.get(next);
      if (entry === undefined) break;
      chain.push(entry);
      next = entry.parent;
    }
    return chain;
  }
}
