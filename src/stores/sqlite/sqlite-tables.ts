import { type FileBell, fileBell } from "../../platform/file-bell.ts";
import type { ClaimRequest, InboxQuery, ReadQuery, SessionQuery, TaskQuery } from "../../ports/index.ts";
import type {
  CoolDown,
  Envelope,
  InboxItem,
  InboxItemId,
  LogEvent,
  ReservationId,
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
import { BudgetRows } from "./budget-rows.ts";
import type { Database, Value } from "./database.ts";
import { EventRows } from "./event-rows.ts";
import { HOLDERS, workerOf } from "./holders.ts";
import { InboxRows } from "./inbox-rows.ts";
import type { KnownRows } from "./known-rows.ts";
import { SessionRows } from "./session-rows.ts";
import { TaskRows } from "./task-rows.ts";

const REQUESTS_KNOWN = 64;

/** Rows in a SQLite file that several processes share. */
export class SqliteTables implements Tables {
  readonly id: string;
  readonly #database: Database;
  readonly #tasks: TaskRows;
  readonly #sessions: SessionRows;
  readonly #inbox: InboxRows;
  readonly #events: EventRows;
  readonly #budgets: BudgetRows;
  /** Requests that nothing pending fitted, and when something will be due for them. */
  readonly #idle: KnownRows<string, number | null>;
  readonly #holders: KnownRows<"all", Worker[]>;
  readonly #bells = new Set<() => void>();
  /** For other processes, and from them. */
  readonly #bell: FileBell;
  #dataVersion: Value | undefined;
  #hasWritten = false;

  constructor(file: string, database: Database) {
    this.#database = database;
    this.#tasks = new TaskRows(database);
    this.#sessions = new SessionRows(database);
    this.#inbox = new InboxRows(database);
    this.#events = new EventRows(database);
    this.#budgets = new BudgetRows(database);
    this.#idle = database.known(REQUESTS_KNOWN);
    this.#holders = database.known(1);
    this.id = String(database.one("SELECT value FROM meta WHERE key = 'id'")?.["value"]);
    this.#dataVersion = this.#database.dataVersion();
    this.#bell = fileBell(
      `${file}-bell`,
      () => this.#hasChangedElsewhere(),
      () => this.#ring(),
    );
    database.onCommit(() => this.#bell.ring());
  }

  async transaction<T>(durability: Durability, work: () => T): Promise<T> {
    let hasWritten = false;
    try {
      return await this.#database.transaction(durability, () => {
        this.#hasWritten = false;
        const result = work();
        hasWritten = this.#hasWritten;
        return result;
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
    this.#hasWritten = true;
    return this.#events.add(stream, event, at, attempt);
  }

  readEvents(query: ReadQuery): Envelope[] {
    return this.#events.read(query);
  }

  head(): number {
    return this.#events.head();
  }

  task(id: TaskId): TaskView | undefined {
    return this.#tasks.get(id);
  }

  putTask(task: TaskView): void {
    const before = task.position > task.firstPosition ? this.#tasks.get(task.id) : undefined;
    if (task.status === "pending" || before?.status === "pending") this.#idle.forget();
    if (before?.holder !== task.holder) this.#holders.forget();
    if (before === undefined) this.#events.isEmpty(`control:${task.id}`);
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

  nextDue(request: ClaimRequest, now: number): { task: TaskView | undefined; until: number | null } {
    const { fits, values } = fitting(request);
    // A worker asks after every end and every new task, and mostly there is nothing.
    const asked = [fits, ...values].join("\n");
    const idleUntil = this.#idle.get(asked);
    if (idleUntil === null || (idleUntil ?? 0) > now) return { task: undefined, until: idleUntil ?? null };
    // Left to itself SQLite sorts all that is pending, at every claim. This index has them in order.
    const ordered = request.root === undefined ? "INDEXED BY tasks_pending" : "";
    const [task] = this.#tasks.select(`${ordered} WHERE ${fits} AND ${DUE} ${FIRST}`, ...values, now);
    if (task !== undefined) return { task, until: null };
    const later = this.#database.one(`SELECT min(not_before) AS until FROM tasks WHERE ${fits}`, ...values);
    const until = later?.["until"] ?? null;
    this.#idle.set(asked, until === null ? null : Number(until));
    return { task: undefined, until: until === null ? null : Number(until) };
  }

  writing(): TaskView[] {
    return this.#tasks.select("INDEXED BY tasks_writing WHERE holder IS NOT NULL AND lane IS NOT NULL");
  }

  pendingLanes(): string[] {
    return this.#database.all(LANES).map((row) => String(row["lane"]));
  }

  nextDueIn(lane: string | null, request: ClaimRequest, now: number): TaskView | undefined {
    const { fits, values } = fitting(request);
    const ordered = request.root === undefined ? "INDEXED BY tasks_by_lane" : "";
    return this.#tasks.select(`${ordered} WHERE lane IS ? AND ${fits} AND ${DUE} ${FIRST}`, lane, ...values, now)[0];
  }

  dueUnder(roots: readonly TaskId[], request: ClaimRequest, now: number): TaskView[] {
    const { fits, values } = fitting(request);
    const there = `root IN (${marks(roots)}) AND lane IS NOT NULL`;
    // Not by the status, as SQLite would: a tree is small, and what is pending may not be.
    return this.#tasks.select(
      `INDEXED BY tasks_by_root WHERE ${there} AND ${fits} AND ${DUE}`,
      ...roots,
      ...values,
      now,
    );
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
    return this.#sessions.get(id);
  }

  putSession(session: SessionView): void {
    this.#sessions.put(session);
  }

  sessions(query: SessionQuery): SessionView[] {
    return this.#sessions.list(query);
  }

  item(id: InboxItemId): InboxItem | undefined {
    return this.#inbox.get(id);
  }

  itemsOf(task: TaskId): InboxItem[] {
    return this.#inbox.of(task);
  }

  putItem(item: InboxItem): void {
    this.#inbox.put(item);
  }

  items(query: InboxQuery): InboxItem[] {
    return this.#inbox.list(query);
  }

  putWorker(worker: Worker): void {
    this.#database.run("INSERT OR IGNORE INTO workers VALUES (?, ?)", worker.id, JSON.stringify(worker));
  }

  holders(): Worker[] {
    const holders = this.#holders.get("all") ?? this.#database.all(HOLDERS).map(workerOf);
    this.#holders.set("all", holders);
    return holders;
  }

  coolDowns(): CoolDown[] {
    return this.#database
      .all("SELECT value FROM meta WHERE key > 'cool:' AND key < 'cool;'")
      .map((row) => JSON.parse(String(row["value"])) as CoolDown);
  }

  putCoolDown(coolDown: CoolDown): void {
    const [key, value] = [`cool:${coolDown.account}`, JSON.stringify(coolDown)];
    this.#database.run(
      "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      key,
      value,
    );
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
    return this.#budgets.ledger(task);
  }

  putLedger(row: LedgerRow): void {
    this.#budgets.putLedger(row);
  }

  reservation(id: ReservationId): ReservationRow | undefined {
    return this.#budgets.reservation(id);
  }

  reservationsOf(task: TaskId): ReservationRow[] {
    return this.#budgets.reservationsOf(task);
  }

  putReservation(row: ReservationRow): void {
    this.#budgets.putReservation(row);
  }

  dropReservation(id: ReservationId): void {
    this.#budgets.dropReservation(id);
  }

  subscribe(ring: () => void): Disposable {
    const bell = () => ring();
    this.#bells.add(bell);
    return { [Symbol.dispose]: () => void this.#bells.delete(bell) };
  }

  async close(): Promise<void> {
    this.#bell[Symbol.dispose]();
    this.#bells.clear();
    await this.#database.close();
  }

  #ring(): void {
    for (const bell of this.#bells) bell();
  }

  #hasChangedElsewhere(): boolean {
    const version = this.#database.dataVersion();
    const hasChanged = version !== this.#dataVersion;
    this.#dataVersion = version;
    return hasChanged;
  }

  #count(sql: string, ...values: Value[]): number {
    return Number(this.#database.one(sql, ...values)?.["count"] ?? 0);
  }
}

const DUE = "(not_before IS NULL OR not_before <= ?)";
const FIRST = "ORDER BY priority DESC, ordinal LIMIT 1";

/** From lane to lane by the index: how many tasks are in each does not matter. */
const LANES = `
  WITH RECURSIVE lanes (lane) AS (
    SELECT min(lane) FROM tasks INDEXED BY tasks_by_lane WHERE status = 'pending' AND lane IS NOT NULL
    UNION ALL
    SELECT (SELECT min(tasks.lane) FROM tasks INDEXED BY tasks_by_lane WHERE status = 'pending' AND tasks.lane > lanes.lane)
    FROM lanes WHERE lanes.lane IS NOT NULL
  )
  SELECT lane FROM lanes WHERE lane IS NOT NULL`;

/** Pending, and a task that this worker can run. */
function fitting({ dispatch, backends, root, has }: ClaimRequest): { readonly fits: string; readonly values: Value[] } {
  const own = has.map(({ name, sha256 }) => `${name}:${sha256}`);
  const lacking = `SELECT 1 FROM json_each(needs) WHERE (value ->> 'name') || ':' || (value ->> 'sha256') NOT IN (${marks(own)})`;
  const inTree = root === undefined ? "" : " AND root = ?";
  return {
    fits: `status = 'pending' AND dispatch IN (${marks(dispatch)}) AND backend IN (${marks(backends)}) AND (needs IS NULL OR NOT EXISTS (${lacking}))${inTree}`,
    values: [...dispatch, ...backends, ...own, ...(root === undefined ? [] : [root])],
  };
}

const marks = (values: readonly string[]): string => values.map(() => "?").join(", ");
