// What is counted at every start: the attempts of the last minute, the last number of an agent, who started something.
import type { Worker, WorkerId } from "../../schema/index.ts";
import type { Database } from "./database.ts";
import type { HeldRows } from "./held-rows.ts";
import type { KnownRows } from "./known-rows.ts";

const AGENTS_KNOWN = 1_000;
const WORKERS_KNOWN = 100;

export class StartRows {
  readonly #database: Database;
  /** In the order of their time. */
  readonly #starts: KnownRows<"all", number[]>;
  readonly #numbers: KnownRows<string, number>;
  readonly #newNumbers: HeldRows<string, { readonly agent: string; readonly last: number }>;
  readonly #workers: KnownRows<WorkerId, true>;

  constructor(database: Database) {
    this.#database = database;
    this.#starts = database.known(1);
    this.#numbers = database.known(AGENTS_KNOWN);
    this.#newNumbers = database.held("numbers", (rows) => {
      for (const { agent, last } of rows) database.run("INSERT OR REPLACE INTO numbers VALUES (?, ?)", agent, last);
    });
    this.#workers = database.known(WORKERS_KNOWN);
  }

  nextNumber(agent: string): number {
    const last = this.#newNumbers.get(agent)?.last ?? this.#numbers.get(agent) ?? this.#readNumber(agent);
    this.#newNumbers.set(agent, { agent, last: last + 1 });
    this.#numbers.set(agent, last + 1);
    return last + 1;
  }

  #readNumber(agent: string): number {
    return Number(this.#database.written("SELECT last FROM numbers WHERE agent = ?", agent)?.["last"] ?? 0);
  }

  addStart(at: number): void {
    this.#database.run("INSERT INTO starts VALUES (?)", at);
    const starts = this.#starts.get("all");
    // A clock that was set back: read again, they are in order.
    if ((starts?.at(-1) ?? 0) > at) this.#starts.forget();
    else starts?.push(at);
  }

  forgetStarts(until: number): void {
    const starts = this.#allStarts();
    const count = starts.findIndex((at) => at > until);
    if (count === 0 || starts.length === 0) return;
    this.#database.run("DELETE FROM starts WHERE at <= ?", until);
    starts.splice(0, count === -1 ? starts.length : count);
  }

  startBefore(count: number, after: number): number | undefined {
    const at = this.#allStarts().at(-1 - count);
    return at === undefined || at <= after ? undefined : at;
  }

  #allStarts(): number[] {
    const known = this.#starts.get("all");
    if (known !== undefined) return known;
    const starts = this.#database.all("SELECT at FROM starts ORDER BY at").map(({ at }) => Number(at));
    this.#starts.set("all", starts);
    return starts;
  }

  putWorker(worker: Worker): void {
    if (this.#workers.get(worker.id) !== undefined) return;
    this.#database.run("INSERT OR IGNORE INTO workers VALUES (?, ?)", worker.id, JSON.stringify(worker));
    this.#workers.set(worker.id, true);
  }
}
