// Ledgers and reservations as rows. Every call of a model changes those of its task and of all above it.
import type { Ledger } from "../../domain/budgets.ts";
import type { Amount, ReservationId, ReservationUse, TaskId } from "../../schema/index.ts";
import type { LedgerRow, ReservationRow } from "../embedded/tables.ts";
import type { Database, Value } from "./database.ts";
import type { HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import { writerOfMany } from "./many-rows.ts";

const KNOWN = 2_000;

const writeLedgers = writerOfMany("INSERT OR REPLACE INTO ledgers (task, parent, ledger)", 3);

export class BudgetRows {
  readonly #database: Database;
  readonly #ledgers: KnownRows<TaskId, LedgerRow>;
  readonly #held: HeldRows<TaskId, LedgerRow>;
  readonly #reservations: KnownRows<ReservationId, ReservationRow>;

  constructor(database: Database) {
    this.#database = database;
    this.#ledgers = database.known(KNOWN);
    this.#held = database.held("ledgers", (rows) => writeLedgers(database, rows.map(columns)));
    this.#reservations = database.known(KNOWN);
  }

  ledger(task: TaskId): LedgerRow | undefined {
    return this.#held.get(task) ?? this.#ledgers.get(task) ?? this.#readLedger(task);
  }

  #readLedger(task: TaskId): LedgerRow | undefined {
    const found = this.#database.written("SELECT parent, ledger FROM ledgers WHERE task = ?", task);
    if (found === undefined) return undefined;
    const row = {
      task,
      parent: found["parent"] as TaskId | null,
      ledger: JSON.parse(String(found["ledger"])) as Ledger,
    };
    this.#ledgers.set(task, row);
    return row;
  }

  putLedger(row: LedgerRow): void {
    this.#held.set(row.task, row);
    this.#ledgers.set(row.task, row);
  }

  reservation(task: TaskId, id: ReservationId): ReservationRow | undefined {
    const known = this.#reservations.get(id);
    if (known !== undefined) return known.task === task ? known : undefined;
    return this.#readReservations("WHERE task = ? AND id = ?", task, id)[0];
  }

  reservationsOf(task: TaskId): ReservationRow[] {
    return this.#readReservations("WHERE task = ?", task);
  }

  putReservation(row: ReservationRow): void {
    const { id, task, amount, use } = row;
    this.#database.run(
      "INSERT INTO reservations (task, id, amount, use) VALUES (?, ?, ?, ?)",
      task,
      id,
      JSON.stringify(amount),
      use,
    );
    this.#reservations.set(id, row);
  }

  dropReservation(task: TaskId, id: ReservationId): void {
    this.#database.run("DELETE FROM reservations WHERE task = ? AND id = ?", task, id);
    this.#reservations.delete(id);
  }

  #readReservations(where: string, ...values: string[]): ReservationRow[] {
    return this.#database.all(`SELECT id, task, amount, use FROM reservations ${where}`, ...values).map((row) => ({
      id: row["id"] as ReservationId,
      task: row["task"] as TaskId,
      amount: JSON.parse(String(row["amount"])) as Amount,
      use: row["use"] as ReservationUse,
    }));
  }
}

const columns = ({ task, parent, ledger }: LedgerRow): Value[] => [task, parent, JSON.stringify(ledger)];
