// Ledgers as rows, each with what its task has reserved. Every call of a model changes those of its task and of all above it.
import type { Ledger } from "../../domain/budgets.ts";
import type { TaskId } from "../../schema/index.ts";
import type { LedgerRow, Reservation } from "../embedded/tables.ts";
import type { Database, Value } from "./database.ts";
import type { HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import { writerOfMany } from "./many-rows.ts";

const KNOWN = 2_000;

const writeLedgers = writerOfMany("INSERT OR REPLACE INTO ledgers (task, parent, ledger, open)", 4);

export class BudgetRows {
  readonly #database: Database;
  readonly #ledgers: KnownRows<TaskId, LedgerRow>;
  readonly #held: HeldRows<TaskId, LedgerRow>;

  constructor(database: Database) {
    this.#database = database;
    this.#ledgers = database.known(KNOWN);
    this.#held = database.held("ledgers", (rows) => writeLedgers(database, rows.map(columns)));
  }

  ledger(task: TaskId): LedgerRow | undefined {
    return this.#held.get(task) ?? this.#ledgers.get(task) ?? this.#readLedger(task);
  }

  #readLedger(task: TaskId): LedgerRow | undefined {
    const found = this.#database.written("SELECT parent, ledger, open FROM ledgers WHERE task = ?", task);
    if (found === undefined) return undefined;
    const row = {
      task,
      parent: found["parent"] as TaskId | null,
      ledger: JSON.parse(String(found["ledger"])) as Ledger,
      open: JSON.parse(String(found["open"])) as Reservation[],
    };
    this.#ledgers.set(task, row);
    return row;
  }

  putLedger(row: LedgerRow): void {
    this.#held.set(row.task, row);
    this.#ledgers.set(row.task, row);
  }
}

const columns = ({ task, parent, ledger, open }: LedgerRow): Value[] => [
  task,
  parent,
  JSON.stringify(ledger),
  JSON.stringify(open),
];
