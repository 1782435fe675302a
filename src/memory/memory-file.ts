// One file of memories: SQLite with a full-text index, opened for each thing that is done and closed after it.
// A project's file may have come with a repository, so it is believed nothing but rows.
import { closeSync, constants, fchmodSync, fstatSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { CadreError, storeUnavailable } from "../errors/index.ts";
import { systemClock } from "../platform/system-clock.ts";

const SCHEMA = `
  CREATE TABLE entries (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    category TEXT NOT NULL,
    content TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    said_by TEXT NOT NULL,
    is_person INTEGER NOT NULL,
    task TEXT,
    at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    accepted_by TEXT
  ) STRICT;
  CREATE INDEX entries_by_time ON entries (updated_at);
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
  );
`;
const APPLICATION = 0x43_41_44_52; // "CADR"
const VERSION = 1;

const PATIENCE_MS = 10_000;
const RETRY_MS = 10;
const NEVER = new AbortController().signal;

export type Row = Readonly<Record<string, string | number | null>>;

export interface Rows {
  all(sql: string, ...values: SQLInputValue[]): Row[];
  run(sql: string, ...values: SQLInputValue[]): void;
}

export class MemoryFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Nothing where there is no file yet: reading does not make one. */
  async read<T>(work: (rows: Rows) => T): Promise<T | undefined> {
    if (lstatSync(this.path, { throwIfNoEntry: false }) === undefined) return undefined;
    return this.#retry("BEGIN", work);
  }

  /** All of it or nothing; others wait meanwhile. */
  change<T>(work: (rows: Rows) => T): Promise<T> {
    return this.#retry("BEGIN IMMEDIATE", work);
  }

  async #retry<T>(begin: string, work: (rows: Rows) => T): Promise<T> {
    const until = systemClock.monotonic() + PATIENCE_MS;
    for (;;) {
      try {
        return this.#attempt(begin, work);
      } catch (error) {
        if (!isBusy(error)) throw this.#explain(error);
        if (systemClock.monotonic() > until)
          throw storeUnavailable(this.path, "is locked by another process", "See who holds it, and try again.", error);
      }
      await systemClock.sleep(RETRY_MS, NEVER);
    }
  }

  #attempt<T>(begin: string, work: (rows: Rows) => T): T {
    checkFile(this.path);
    const sqlite = new DatabaseSync(this.path, { timeout: 5, allowExtension: false });
    try {
      sqlite.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = ON;");
      sqlite.exec(begin);
      if (!this.#isReady(sqlite)) return this.#make(sqlite, work);
      const result = work(rowsOf(sqlite));
      sqlite.exec("COMMIT");
      return result;
    } finally {
      sqlite.close(); // what was not committed is rolled back
    }
  }

  #make<T>(sqlite: DatabaseSync, work: (rows: Rows) => T): T {
    sqlite.exec(`${SCHEMA} PRAGMA application_id = ${APPLICATION}; PRAGMA user_version = ${VERSION};`);
    const result = work(rowsOf(sqlite));
    sqlite.exec("COMMIT");
    return result;
  }

  /** A new file has to be made; one that is not as we make them is not used. */
  #isReady(sqlite: DatabaseSync): boolean {
    const there = shapeOf(sqlite);
    if (there === NO_SHAPE) return false;
    const version = numberOf(sqlite, "user_version");
    if (numberOf(sqlite, "application_id") === APPLICATION && version > VERSION)
      throw storeUnavailable(this.path, "was made by a newer Cadre", "Update Cadre.");
    if (version === VERSION && there === expectedShape()) return true;
    throw storeUnavailable(this.path, "is no memory of Cadre's", "Look at it, and move it away.");
  }

  #explain(error: unknown): unknown {
    if (CadreError.isInstance(error)) return error;
    const code = codeOf(error);
    if (code === 13) return storeUnavailable(this.path, "cannot grow: the disk is full", "Free some room.", error);
    if (code === 11 || code === 26 || code === 1)
      return storeUnavailable(this.path, "is damaged, or is no database", "Keep the file, and move it away.", error);
    if (code > 0 || isSystem(error))
      return storeUnavailable(this.path, "cannot be opened or written", "See that you may write there.", error);
    return error;
  }
}

const rowsOf = (sqlite: DatabaseSync): Rows => ({
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no column here holds a blob or a large integer
  all: (sql, ...values) => sqlite.prepare(sql).all(...values) as Row[],
  run: (sql, ...values) => void sqlite.prepare(sql).run(...values),
});

const numberOf = (sqlite: DatabaseSync, pragma: string): number =>
  Number(sqlite.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);

/** What there is, and as what it was made. How the index keeps its own tables is for each SQLite to say. */
const shapeOf = (sqlite: DatabaseSync): string =>
  JSON.stringify(
    rowsOf(sqlite)
      .all("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
      .map(({ type, name, sql }) => [type, name, String(name).startsWith("words_") ? null : sql]),
  );
const NO_SHAPE = "[]";

let expected: string | undefined;

/** Of a file that was just made: triggers, views or other tables would be somebody else's. */
function expectedShape(): string {
  if (expected !== undefined) return expected;
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(SCHEMA);
  expected = shapeOf(sqlite);
  sqlite.close();
  return expected;
}

/** For its owner only, from the first moment; and no link, which could lead anywhere. */
function checkFile(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!lstatSync(folder).isDirectory()) throw refused(folder, "is a link, not a folder");
  let file: number;
  try {
    file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
  } catch (error) {
    throw error instanceof Error && "code" in error && error.code === "ELOOP" ? refused(path, "is a link") : error;
  }
  try {
    const info = fstatSync(file);
    if (!info.isFile()) throw refused(path, "is no regular file");
    if (info.nlink > 1) throw refused(path, "is a hard link");
    fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

const refused = (path: string, what: string) => storeUnavailable(path, what, "Move it away: memories are kept there.");

/** SQLite's primary result code, without the extension in the upper bits. */
const codeOf = (error: unknown): number =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : -1;

const isBusy = (error: unknown): boolean => codeOf(error) === 5 || codeOf(error) === 6;

const isSystem = (error: unknown): boolean => error instanceof Error && "syscall" in error;
