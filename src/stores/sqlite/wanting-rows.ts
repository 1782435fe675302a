// Attempts that want their slot back, first come first. At every claim it is asked how many there are, and mostly there is none.
import type { TaskId } from "../../schema/index.ts";
import type { Database } from "./database.ts";
import type { KnownRows } from "./known-rows.ts";

export class WantingRows {
  readonly #database: Database;
  readonly #count: KnownRows<"all", number>;

  constructor(database: Database) {
    this.#database = database;
    this.#count = database.known(1);
  }

  /** How many stand before this one. */
  want(task: TaskId): number {
    this.#database.run("INSERT OR IGNORE INTO wanting (task) VALUES (?)", task);
    this.#count.forget();
    const ahead = "SELECT count(*) AS count FROM wanting WHERE ticket < (SELECT ticket FROM wanting WHERE task = ?)";
    return Number(this.#database.one(ahead, task)?.["count"] ?? 0);
  }

  forget(task: TaskId): void {
    this.#database.run("DELETE FROM wanting WHERE task = ?", task);
    this.#count.forget();
  }

  count(): number {
    const known = this.#count.get("all");
    if (known !== undefined) return known;
    const count = Number(this.#database.one("SELECT count(*) AS count FROM wanting")?.["count"] ?? 0);
    this.#count.set("all", count);
    return count;
  }
}
