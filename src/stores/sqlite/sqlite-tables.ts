import type { Ledger } from "../../domain/budgets.ts";
import { fileBell } from "../../platform/file-bell.ts";
import type { ClaimRequest, ReadQuery, TaskQuery } from "../../ports/index.ts";
import type {
  Amount,
  Envelope,
  LogEvent,
  ReservationId,
  ReservationUse,
  SessionId,
  SessionView,
  StreamName,
  TaskId,
  TaskRef,
  TaskView,
  Worker,
  WorkerId,
} from "../../schema/index.ts";
import type { Durability, LedgerRow, ReservationRow, Tables } from "../embedded/tables.ts";
import type { Database, Row, Value } from "./database.ts";
import { HOLDERS, workerOf } from "./holders.ts";
import { TaskRows } from "./task-rows.ts";

const ADD_EVENT = `
  INSERT INTO events (stream, seq, at, attempt, event)
  SELECT ?, coalesce(max(seq), 0) + 1, ?, ?, ? FROM events WHERE stream = ?
  RETURNING position, seq`;

/** Rows in a SQLite file that several processes share. */
export class SqliteTables implements Tables {
  readonly id: string;
  readonly #database: Database;
  readonly #tasks: TaskRows;
  readonly #bells = new Set<() => void>();
  readonly #watch: Disposable;
  #dataVersion: Value | undefined;
  #hasWritten = false;

  constructor(file: string, database: Database) {
    this.#database = database;
    this.#tasks = new TaskRows(database);
    this.id = String(database.one("SELECT value FROM meta WHERE key = 'id'")?.["value"]);
    this.#dataVersion = this.#readDataVersion();
    this.#watch = fileBell(
      file,
      () => this.#hasChangedElsewhere(),
      () => this.#ring(),
    );
  }

  async transaction<T>(durability: Durability, work: () => T): Promise<T> {
    let hasWritten = false;
    try {
      return await this.#database.transaction(durability, () => {
        this.#tasks.enter();
        this.#hasWritten = false;
        try {
          const result = work();
          hasWritten = this.#hasWritten;
          return result;
        } finally {
          this.#tasks.leave(); // not later: until the disk has it, others may look, and others may have written
        }
      });
    } catch (error) {
      hasWritten = false;
      this.#tasks.forget();
      throw error;
    } finally {
      if (hasWritten) this.#ring();
    }
  }

  addEvent(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope {
    const row = this.#database.one(ADD_EVENT, stream, at, attempt, JSON.stringify(event), stream);
    this.#hasWritten = true;
    return { position: Number(row?.["position"]), stream, seq: Number(row?.["seq"]), at, attempt, event };
  }

  readEvents({ stream, after, limit }: ReadQuery): Envelope[] {
    const rows =
      stream === undefined
        ? this.#database.all("SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ?", after, limit)
        : this.#database.all(
            "SELECT * FROM events WHERE stream = ? AND position > ? ORDER BY seq LIMIT ?",
            stream,
            after,
            limit,
          );
    return rows.map(envelopeOf);
  }

  head(): number {
    return Number(this.#database.one("SELECT max(position) AS head FROM events")?.["head"] ?? 0);
  }

  task(id: TaskId): TaskView | undefined {
    return this.#tasks.get(id);
  }

  putTask(task: TaskView): void {
    this.#tasks.put(task);
  }

  tasks(query: TaskQuery): TaskView[] {
    return this.#tasks.list(query);
  }

  findTasks(ref: TaskRef, limit: number): TaskView[] {
    return this.#tasks.find(ref, limit);
  }

  heldBy(worker: WorkerId): TaskView[] {
    return this.#tasks.select("WHERE holder = ? ORDER BY ordinal", worker);
  }

  countComputing(): number {
    return this.#count("SELECT count(*) AS count FROM tasks WHERE status = 'running'");
  }

  countInTree(root: TaskId): number {
    return this.#count("SELECT count(*) AS count FROM tasks WHERE root = ?", root);
  }

  nextDue(
    { dispatch, backends, root, has }: ClaimRequest,
    now: number,
  ): { task: TaskView | undefined; until: number | null } {
    const own = has.map(({ name, sha256 }) => `${name}:${sha256}`);
    const lacking = `SELECT 1 FROM json_each(spec, '$.needs') WHERE (value ->> 'name') || ':' || (value ->> 'sha256') NOT IN (${marks(own)})`;
    const fits = `status = 'pending' AND dispatch IN (${marks(dispatch)}) AND backend IN (${marks(backends)}) AND NOT EXISTS (${lacking})`;
    const inTree = root === undefined ? "" : "AND root = ?";
    const values = [...dispatch, ...backends, ...own, ...(root === undefined ? [] : [root])];
    // Left to itself SQLite sorts all that is pending, at every claim. This index has them in order.
    const inOrder = root === undefined ? "INDEXED BY tasks_pending" : "";
    const due = `${inOrder} WHERE ${fits} ${inTree} AND (not_before IS NULL OR not_before <= ?)`;
    const [task] = this.#tasks.select(`${due} ORDER BY priority DESC, ordinal LIMIT 1`, ...values, now);
    if (task !== undefined) return { task, until: null };
    const later = this.#database.one(`SELECT min(not_before) AS until FROM tasks WHERE ${fits} ${inTree}`, ...values);
    const until = later?.["until"] ?? null;
    return { task: undefined, until: until === null ? null : Number(until) };
  }

  nextNumber(agent: string): number {
    const sql = "INSERT INTO numbers VALUES (?, 1) ON CONFLICT (agent) DO UPDATE SET last = last + 1 RETURNING last";
    return Number(this.#database.one(sql, agent)?.["last"]);
  }

  wantSlot(task: TaskId): number {
    this.#database.run("INSERT OR IGNORE INTO wanting (task) VALUES (?)", task);
    const ahead = "SELECT count(*) AS count FROM wanting WHERE ticket < (SELECT ticket FROM wanting WHERE task = ?)";
    return this.#count(ahead, task);
  }

  forgetSlot(task: TaskId): void {
    this.#database.run("DELETE FROM wanting WHERE task = ?", task);
  }

  countWanting(): number {
    return this.#count("SELECT count(*) AS count FROM wanting");
  }

  addStart(at: number): void {
    this.#database.run("INSERT INTO starts VALUES (?)", at);
  }

  forgetStarts(until: number): void {
    this.#database.run("DELETE FROM starts WHERE at <= ?", until);
  }

  startBefore(count: number, after: number): number | undefined {
    const sql = "SELECT at FROM starts WHERE at > ? ORDER BY at DESC LIMIT 1 OFFSET ?";
    const row = this.#database.one(sql, after, count);
    return row === undefined ? undefined : Number(row["at"]);
  }

  session(id: SessionId): SessionView | undefined {
    const row = this.#database.one("SELECT view FROM sessions WHERE id = ?", id);
    return row === undefined ? undefined : (JSON.parse(String(row["view"])) as SessionView);
  }

  putSession(session: SessionView): void {
    this.#database.run("INSERT OR REPLACE INTO sessions VALUES (?, ?)", session.id, JSON.stringify(session));
  }

  putWorker(worker: Worker): void {
    this.#database.run("INSERT OR IGNORE INTO workers VALUES (?, ?)", worker.id, JSON.stringify(worker));
  }

  holders(): Worker[] {
    return this.#database.all(HOLDERS).map(workerOf);
  }

  resident(): Worker | undefined {
    const row = this.#database.one("SELECT value FROM meta WHERE key = 'resident'");
    return row === undefined ? undefined : (JSON.parse(String(row["value"])) as Worker);
  }

  putResident(worker: Worker | null): void {
    this.#database.run("DELETE FROM meta WHERE key = 'resident'");
    if (worker !== null) this.#database.run("INSERT INTO meta VALUES ('resident', ?)", JSON.stringify(worker));
  }

  ledger(task: TaskId): LedgerRow | undefined {
    const row = this.#database.one("SELECT parent, ledger FROM ledgers WHERE task = ?", task);
    if (row === undefined) return undefined;
    const ledger = JSON.parse(String(row["ledger"])) as Ledger;
    return { task, parent: row["parent"] as TaskId | null, ledger };
  }

  putLedger({ task, parent, ledger }: LedgerRow): void {
    this.#database.run("INSERT OR REPLACE INTO ledgers VALUES (?, ?, ?)", task, parent, JSON.stringify(ledger));
  }

  reservation(id: ReservationId): ReservationRow | undefined {
    return this.#reservations("WHERE id = ?", id)[0];
  }

  reservationsOf(task: TaskId): ReservationRow[] {
    return this.#reservations("WHERE task = ?", task);
  }

  putReservation({ id, task, amount, use }: ReservationRow): void {
    this.#database.run("INSERT INTO reservations VALUES (?, ?, ?, ?)", id, task, JSON.stringify(amount), use);
  }

  dropReservation(id: ReservationId): void {
    this.#database.run("DELETE FROM reservations WHERE id = ?", id);
  }

  subscribe(ring: () => void): Disposable {
    const bell = () => ring();
    this.#bells.add(bell);
    return { [Symbol.dispose]: () => void this.#bells.delete(bell) };
  }

  async close(): Promise<void> {
    this.#watch[Symbol.dispose]();
    this.#bells.clear();
    await this.#database.close();
  }

  #ring(): void {
    for (const bell of this.#bells) bell();
  }

  /** SQLite's own word on it: the number changes when another connection has committed, not when we have. */
  #hasChangedElsewhere(): boolean {
    const version = this.#readDataVersion();
    const hasChanged = version !== this.#dataVersion;
    this.#dataVersion = version;
    return hasChanged;
  }

  #readDataVersion(): Value | undefined {
    return this.#database.one("PRAGMA data_version")?.["data_version"];
  }

  #count(sql: string, ...values: Value[]): number {
    return Number(this.#database.one(sql, ...values)?.["count"] ?? 0);
  }

  #reservations(where: string, value: string): ReservationRow[] {
    return this.#database.all(`SELECT id, task, amount, use FROM reservations ${where}`, value).map((row) => ({
      id: row["id"] as ReservationId,
      task: row["task"] as TaskId,
      amount: JSON.parse(String(row["amount"])) as Amount,
      use: row["use"] as ReservationUse,
    }));
  }
}

const marks = (values: readonly string[]): string => values.map(() => "?").join(", ");

function envelopeOf(row: Row): Envelope {
  return {
    position: Number(row["position"]),
    stream: row["stream"] as StreamName,
    seq: Number(row["seq"]),
    at: Number(row["at"]),
    attempt: row["attempt"] === null ? null : Number(row["attempt"]),
    event: JSON.parse(String(row["event"])) as LogEvent,
  };
}
