// One SQLite file: opening it, its shape, and transactions that never hold up the event loop.
import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { CadreError, storeUnavailable } from "../../errors/index.ts";
import { systemClock } from "../../platform/system-clock.ts";
import type { Durability } from "../embedded/tables.ts";
import { type FileSystemOf, refuseFarAway } from "./far-away.ts";
import { DISK_FAULT, explanationOf, isBusy } from "./faults.ts";
import { whenTurnEnds } from "../../platform/when-turn-ends.ts";
import { nextRound, yielding } from "../../platform/yielding.ts";
import { HeldRows } from "./held-rows.ts";
import { KnownRows } from "./known-rows.ts";
import { LogFlush } from "./log-flush.ts";
import { MIGRATIONS } from "./migrations.ts";

/** How long SQLite itself may wait for a lock, blocking everything. Longer waits are ours, and asynchronous. */
const BUSY_TIMEOUT_MS = 5;
/** How long a lock may be held by others before we give up. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 10;
/** Four times SQLite's own: to move its log into the database waits for the disk, with everything else. */
const CHECKPOINT_PAGES = 4_000;
const NEVER = new AbortController().signal;

/** Of this process, whichever handle: what one has just written, another one does not have to hear of from outside. */
let commits = 0;

export type Value = string | number | null;
export type Row = Readonly<Record<string, Value>>;

/** So many take a few milliseconds: nothing else of the process has to wait longer for its turn. */
const MOST_AT_ONCE = 32;

interface Done<T> {
  readonly result: T;
  readonly hasChanged: boolean;
}

interface Waiting {
  /** Returns how to tell of it once all is committed. It is run again where those that shared its commit have failed. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

interface Prepared {
  readonly statement: StatementSync;
  /** Of the tables that it names: what has to be written before it can answer. */
  readonly reads: readonly Pick<HeldRows<unknown, unknown>, "write">[];
}

export class Database {
  readonly #file: string;
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  readonly #breathe = yielding();
  readonly #log: LogFlush;
  readonly #known: KnownRows<unknown, unknown>[] = [];
  /** The data version at which all that is known was so. */
  #knownAt: Value | undefined;
  /** How many commits there were when it was asked; `undefined`: not in this turn of the event loop. */
  #askedAt: number | undefined;
  #hasChanged = false;
  /** Of all that share the commit. */
  #haveChanged = false;
  #committed: () => void = () => undefined;
  #undone: () => void = () => undefined;
  readonly #held: { readonly table: string; readonly rows: Pick<HeldRows<unknown, unknown>, "write" | "forget"> }[] =
    [];
  readonly #waiting: Waiting[] = [];

  constructor(file: string, sqlite: DatabaseSync) {
    this.#file = file;
    this.#sqlite = sqlite;
    this.#log = new LogFlush(file);
  }

  static async open(file: string, fileSystemOf?: FileSystemOf): Promise<Database> {
    return new Database(file, await patiently(file, () => openFile(file, fileSystemOf)));
  }

  /** For a look at a file that is there: nothing can be written. */
  static toRead(file: string): Database {
    refuseFarAway(file);
    return new Database(file, new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS }));
  }

  isUpToDate(): boolean {
    return this.#version() === MIGRATIONS.length;
  }

  /** Brings the shape up to date. Refuses a database that a newer Cadre has made. */
  async migrate(first: () => void): Promise<void> {
    if (this.isUpToDate()) return;
    await this.transaction("power", () => {
      const version = this.#version();
      for (const step of MIGRATIONS.slice(version)) this.#sqlite.exec(step);
      this.#sqlite.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
      this.#hasChanged = true;
      if (version === 0) first();
    });
  }

  #refuseNewer(): void {
    if (this.#version() <= MIGRATIONS.length) return;
    const hint = "Update Cadre, or name another home: --home <folder>";
    throw storeUnavailable(this.#file, "was made by a newer Cadre", hint);
  }

  #version(): number {
    return Number(this.one("PRAGMA user_version")?.["user_version"] ?? 0);
  }

  /**
   * Keeps others out, does all of the work, and makes it durable: or changes nothing. Others may see it a
   * moment before the disk has it. What they then write themselves comes after it in the log, and is not
   * durable without it.
   */
  async transaction<T>(durability: Durability, work: () => T): Promise<T> {
    await this.#breathe();
    const { result, hasChanged } = await this.#withOthers(work);
    if (durability === "soon" && hasChanged) this.#log.flushSoon();
    // Also where nothing was changed here: what was written before has to be on the disk.
    if (durability === "power") {
      await this.#log.flush().catch((error: unknown) => this.#tellOfDisk(error));
    }
    return result;
  }

  /** What comes within one round of the event loop shares a commit; each still succeeds or fails alone. */
  #withOthers<T>(work: () => T): Promise<Done<T>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        run: () => {
          this.#hasChanged = false;
          const result = work();
          const done = { result, hasChanged: this.#hasChanged };
          return () => resolve(done);
        },
        reject,
      });
      if (this.#waiting.length > 1) return;
      void nextRound().then(() => this.#runWaiting());
    });
  }

  async #runWaiting(): Promise<void> {
    const group = this.#waiting.splice(0, MOST_AT_ONCE);
    if (this.#waiting.length > 0) void nextRound().then(() => this.#runWaiting());
    const failed = await this.#commit(group);
    if (failed === undefined) return;
    if (group.length === 1 || !failed.hasBegun) {
      for (const one of group) one.reject(this.#explain(failed.error));
      return;
    }
    // One of them has failed, and with it all that were to share its commit: each is tried by itself.
    for (const one of group) {
      const alone = await this.#commit([one]);
      if (alone !== undefined) one.reject(this.#explain(alone.error));
    }
  }

  /** `hasBegun`: it was let in, so it was one of the group that failed. */
  async #commit(
    group: readonly Waiting[],
  ): Promise<{ readonly error: unknown; readonly hasBegun: boolean } | undefined> {
    let hasBegun = false;
    try {
      const tell = await patiently(this.#file, () => {
        hasBegun = false;
        return this.#attempt(group, () => (hasBegun = true));
      });
      for (const one of tell) one();
      return undefined;
    } catch (error) {
      return { error, hasBegun };
    }
  }

  #attempt(group: readonly Waiting[], begun: () => void): (() => void)[] {
    this.#prepare("BEGIN IMMEDIATE").statement.run();
    this.#haveChanged = false;
    try {
      this.#makeSure();
      begun();
      const tell = group.map(({ run }) => run());
      for (const { rows } of this.#held) rows.write();
      this.#prepare("COMMIT").statement.run();
      commits++;
      this.#isSureForNow();
      if (this.#haveChanged) this.#committed();
      return tell;
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      this.#forgetKnown();
      this.#undone();
      throw error;
    }
  }

  /** Called when something was committed here, before the disk has it. MUST NOT throw. */
  onCommit(committed: () => void): void {
    this.#committed = committed;
  }

  /** Called when all that was changed here since the last commit is undone. MUST NOT throw. */
  onUndone(undone: () => void): void {
    this.#undone = undone;
  }

  /** What may be kept beside the file. It is forgotten when another process has written, and when a transaction fails. */
  known<K, V>(most: number): KnownRows<K, V> {
    const rows = new KnownRows<K, V>(() => {
      if (this.#askedAt !== commits && !this.#sqlite.isTransaction) this.#makeSure();
    }, most);
    this.#known.push(rows);
    return rows;
  }

  #makeSure(): void {
    const version = this.dataVersion();
    if (version !== this.#knownAt) {
      this.#forgetKnown();
      this.#refuseNewer(); // it may have come meanwhile, and have changed the shape
    }
    this.#knownAt = version;
    this.#isSureForNow();
  }

  /** Until this process hears from outside again, it cannot know of anything that another one has written since. */
  #isSureForNow(): void {
    if (this.#askedAt === undefined) whenTurnEnds(() => (this.#askedAt = undefined));
    this.#askedAt = commits;
  }

  #forgetKnown(): void {
    for (const { rows } of this.#held) rows.forget();
    for (const rows of this.#known) rows.forget();
  }

  /** SQLite's own word on it: the number changes when another connection has committed, not when we have. */
  dataVersion(): Value | undefined {
    return this.one("PRAGMA data_version")?.["data_version"];
  }

  one(sql: string, ...values: Value[]): Row | undefined {
    return this.#read(() => this.#upToDate(sql).get(...values)) as Row | undefined;
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#read(() => this.#upToDate(sql).all(...values)) as Row[];
  }

  /** As the file has it: for whoever has looked at what is held. */
  written(sql: string, ...values: Value[]): Row | undefined {
    return this.#read(() => this.#prepare(sql).statement.get(...values)) as Row | undefined;
  }

  /** Several questions, and nothing that another process writes comes between them. */
  atOnce<T>(ask: () => T): T {
    if (this.#sqlite.isTransaction) return ask();
    this.#read(() => this.#prepare("BEGIN").statement.run());
    try {
      return ask();
    } finally {
      this.#prepare("COMMIT").statement.run();
    }
  }

  run(sql: string, ...values: Value[]): void {
    this.#change();
    this.#prepare(sql).statement.run(...values);
  }

  /** Only for use in transactions: `write` is called at the commit, or before a question about the table. */
  held<K, V>(table: string, write: (rows: readonly V[]) => void): HeldRows<K, V> {
    const rows = new HeldRows<K, V>(() => this.#change(), write);
    this.#held.push({ table, rows });
    this.#statements.clear(); // they would not know of it
    return rows;
  }

  async close(): Promise<void> {
    try {
      await this.#log.close().catch((error: unknown) => this.#tellOfDisk(error));
    } finally {
      this.#statements.clear();
      this.#sqlite.close();
    }
  }

  /** Where only a look was taken: there is nothing to wait for. */
  [Symbol.dispose](): void {
    this.#sqlite.close();
  }

  #change(): void {
    this.#hasChanged = true;
    this.#haveChanged = true;
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #upToDate(sql: string): StatementSync {
    const { statement, reads } = this.#prepare(sql);
    for (const rows of reads) rows.write();
    return statement;
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const reads = this.#held.filter(({ table }) => new RegExp(`\\b${table}\\b`).test(sql)).map(({ rows }) => rows);
    const prepared = { statement: this.#sqlite.prepare(sql), reads };
    this.#statements.set(sql, prepared);
    return prepared;
  }

  #tellOfDisk(error: unknown): never {
    throw storeUnavailable(this.#file, DISK_FAULT.what, DISK_FAULT.hint, error);
  }

  #explain(error: unknown): unknown {
    if (CadreError.isInstance(error) || isBusy(error)) return error;
    const known = explanationOf(error);
    return known === undefined ? error : storeUnavailable(this.#file, known.what, known.hint, error);
  }
}

/** Until nobody else holds a lock. In real time, whatever the store tells the time by: others do not wait for that. */
async function patiently<T>(file: string, work: () => T): Promise<T> {
  const until = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (systemClock.monotonic() > until)
        throw storeUnavailable(file, "is locked by another process", "See who holds it, and try again.", error);
    }
    await systemClock.sleep(RETRY_MS, NEVER);
  }
}

function openFile(file: string, fileSystemOf: FileSystemOf | undefined): DatabaseSync {
  let sqlite: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    refuseFarAway(file, fileSystemOf);
    sqlite = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    chmodSync(file, 0o600);
    sqlite.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;");
    sqlite.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return sqlite;
  } catch (error) {
    sqlite?.close();
    if (CadreError.isInstance(error) || isBusy(error)) throw error; // another process may be making the file just now
    const known = explanationOf(error);
    const hint = known?.hint ?? "See that the folder can be written, or name another home: --home <folder>";
    throw storeUnavailable(file, known?.what ?? "cannot be opened", hint, error);
  }
}
