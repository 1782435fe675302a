// One SQLite file: opening it, its shape, and transactions that never hold up the event loop.
import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { CadreError, storeUnavailable } from "../../errors/index.ts";
import { systemClock } from "../../platform/system-clock.ts";
import type { Durability } from "../embedded/tables.ts";
import { type FileSystemOf, refuseFarAway } from "./far-away.ts";
import { whenTurnEnds } from "../../platform/when-turn-ends.ts";
import { nextRound, yielding } from "../../platform/yielding.ts";
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
  /** What is to be told once all is committed. */
  readonly run: () => () => void;
  /** The same, where nobody else could be hurt by its failure: it throws. */
  readonly runAlone: () => () => void;
  readonly reject: (error: unknown) => void;
}

export class Database {
  readonly #file: string;
  readonly #sqlite: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
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
  /** Of the transaction that runs: what is written at its end. */
  readonly #held = new Map<string, () => void>();
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

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
    this.#underWay++;
    try {
      return await this.#transact(durability, work);
    } finally {
      this.#underWay--;
    }
  }

  async #transact<T>(durability: Durability, work: () => T): Promise<T> {
    await this.#breathe();
    const { result, hasChanged } = await this.#withOthers(work);
    if (durability === "soon" && hasChanged) this.#log.flushSoon();
    // Also where nothing was changed here: what was written before has to be on the disk.
    if (durability === "power") {
      await this.#log.flush().catch((error: unknown) => this.#tellOfDisk(error));
    }
    return result;
  }

  /** What comes within one turn of the event loop shares a commit; each still succeeds or fails alone. */
  #withOthers<T>(work: () => T): Promise<Done<T>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        runAlone: () => {
          this.#hasChanged = false;
          const result = work();
          this.#writeHeld();
          const done = { result, hasChanged: this.#hasChanged };
          return () => resolve(done);
        },
        run: () => {
          const savepoint = this.#inSavepoint(work);
          return savepoint.ok ? () => resolve(savepoint.done) : () => reject(savepoint.error);
        },
        reject,
      });
      if (this.#waiting.length > 1) return;
      // Whoever is alone waits for nobody.
      void (this.#underWay > 1 ? nextRound() : Promise.resolve()).then(() => this.#runWaiting());
    });
  }

  async #runWaiting(): Promise<void> {
    const group = this.#waiting.splice(0, MOST_AT_ONCE);
    if (this.#waiting.length > 0) void nextRound().then(() => this.#runWaiting());
    try {
      const tell = await patiently(this.#file, () => this.#attempt(group));
      for (const one of tell) one();
    } catch (error) {
      for (const { reject } of group) reject(this.#explain(error));
    }
  }

  #attempt(group: readonly Waiting[]): (() => void)[] {
    this.#prepare("BEGIN IMMEDIATE").run();
    this.#haveChanged = false;
    try {
      this.#makeSure();
      const [only] = group;
      const tell = group.length === 1 && only !== undefined ? [only.runAlone()] : group.map(({ run }) => run());
      this.#prepare("COMMIT").run();
      commits++;
      this.#isSureForNow();
      if (this.#haveChanged) this.#committed();
      return tell;
    } catch (error) {
      if (this.#sqlite.isTransaction) this.#sqlite.exec("ROLLBACK");
      this.#forgetKnown();
      throw error;
    }
  }

  #inSavepoint<T>(work: () => T): { ok: true; done: Done<T> } | { ok: false; error: unknown } {
    this.#prepare("SAVEPOINT one").run();
    this.#hasChanged = false;
    try {
      const result = work();
      this.#writeHeld();
      this.#prepare("RELEASE one").run();
      return { ok: true, done: { result, hasChanged: this.#hasChanged } };
    } catch (error) {
      if (isBusy(error)) throw error;
      this.#prepare("ROLLBACK TO one").run();
      this.#prepare("RELEASE one").run();
      this.#forgetKnown();
      return { ok: false, error: this.#explain(error) };
    }
  }

  /** Called when something was committed here, before the disk has it. MUST NOT throw. */
  onCommit(committed: () => void): void {
    this.#committed = committed;
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
    this.#held.clear();
    for (const rows of this.#known) rows.forget();
  }

  /** SQLite's own word on it: the number changes when another connection has committed, not when we have. */
  dataVersion(): Value | undefined {
    return this.one("PRAGMA data_version")?.["data_version"];
  }

  one(sql: string, ...values: Value[]): Row | undefined {
    return this.#read(() => this.#prepare(sql).get(...values)) as Row | undefined;
  }

  all(sql: string, ...values: Value[]): Row[] {
    return this.#read(() => this.#prepare(sql).all(...values)) as Row[];
  }

  run(sql: string, ...values: Value[]): number {
    this.#hasChanged = true;
    this.#haveChanged = true;
    return Number(this.#prepare(sql).run(...values).lastInsertRowid);
  }

  /**
   * Only in a transaction: `write` is called when it ends, or before the next question in it. A row that changes several times
   * is written once, as the last one has it.
   */
  hold(row: string, write: () => void): void {
    this.#hasChanged = true;
    this.#haveChanged = true;
    this.#held.set(row, write);
  }

  #writeHeld(): void {
    if (this.#held.size === 0) return;
    const writes = [...this.#held.values()];
    this.#held.clear();
    for (const write of writes) write();
  }

  insert(table: string, row: Row): void {
    const names = Object.keys(row);
    this.run(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      ...Object.values(row),
    );
  }

  update(table: string, id: string, changes: Row): void {
    const sets = Object.keys(changes).map((name) => `${name} = ?`);
    this.run(`UPDATE ${table} SET ${sets.join(", ")} WHERE id = ?`, ...Object.values(changes), id);
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

  #read<T>(work: () => T): T {
    try {
      this.#writeHeld();
      return work();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#sqlite.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #tellOfDisk(error: unknown): never {
    throw storeUnavailable(this.#file, DISK_FAULT.what, DISK_FAULT.hint, error);
  }

  #explain(error: unknown): unknown {
    if (CadreError.isInstance(error) || isBusy(error)) return error;
    const known = EXPLANATIONS.find(({ codes }) => codes.includes(codeOf(error)));
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
    const known = EXPLANATIONS.find(({ codes }) => codes.includes(codeOf(error)));
    const hint = known?.hint ?? "See that the folder can be written, or name another home: --home <folder>";
    throw storeUnavailable(file, known?.what ?? "cannot be opened", hint, error);
  }
}

/** SQLite's primary result code, without the extension in the upper bits. */
const codeOf = (error: unknown): number =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : -1;

const isBusy = (error: unknown): boolean => codeOf(error) === 5 || codeOf(error) === 6;

const DISK_FAULT = {
  codes: [10],
  what: "cannot be read or written: the disk reports an error",
  hint: "See to the disk. What was acknowledged is kept.",
};

const EXPLANATIONS: readonly { codes: readonly number[]; what: string; hint: string }[] = [
  { codes: [13], what: "cannot grow: the disk is full", hint: "Free some room. What was acknowledged is kept." },
  {
    codes: [11, 26],
    what: "is damaged, or is no database",
    hint: "Keep the file, and name another home: --home <folder>",
  },
  {
    codes: [8, 14],
    what: "cannot be written",
    hint: "See that you may write there, or name another home: --home <folder>",
  },
  DISK_FAULT,
];
