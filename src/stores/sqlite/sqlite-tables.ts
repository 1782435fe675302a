import { type FileBell, fileBell } from "../../platform/file-bell.ts";
import type { Bell, ClaimRequest, InboxQuery, ReadQuery, SessionQuery, TaskQuery, Written } from "../../ports/index.ts";
import type {
  CoolDown,
  Envelope,
  InboxItem,
  InboxItemId,
  LogEvent,
  SessionId,
  SessionView,
  StreamName,
  TaskId,
  TaskRef,
  TaskView,
  Worker,
  WorkerId,
} from "../../schema/index.ts";
import type { Durability, LedgerRow, Tables } from "../embedded/tables.ts";
import { BudgetRows } from "./budget-rows.ts";
import type { Database, Value } from "./database.ts";
import { EventRows } from "./event-rows.ts";
import { DueRows, type NextDue } from "./due-rows.ts";
import { HELD } from "./holders.ts";
import { InboxRows } from "./inbox-rows.ts";
import { SessionRows } from "./session-rows.ts";
import { StartRows } from "./start-rows.ts";
import { TaskCounts } from "./task-counts.ts";
import { TaskRows } from "./task-rows.ts";
import { WantingRows } from "./wanting-rows.ts";

/** Rows in a SQLite file that several processes share. */
export class SqliteTables implements Tables {
  readonly id: string;
  readonly #database: Database;
  readonly #tasks: TaskRows;
  readonly #sessions: SessionRows;
  readonly #inbox: InboxRows;
  readonly #events: EventRows;
  readonly #budgets: BudgetRows;
  readonly #due: DueRows;
  readonly #counts: TaskCounts;
  readonly #starts: StartRows;
  readonly #wanting: WantingRows;
  readonly #bells = new Set<Bell>();
  /** For other processes, and from them. */
  readonly #bell: FileBell;
  #dataVersion: Value | undefined;
  /** By the transaction that runs. */
  #written: Written[] = [];

  constructor(file: string, database: Database) {
    this.#database = database;
    this.#sessions = new SessionRows(database);
    this.#inbox = new InboxRows(database);
    this.#events = new EventRows(database);
    this.#tasks = new TaskRows(database, this.#events);
    this.#budgets = new BudgetRows(database);
    this.#due = new DueRows(database, this.#tasks);
    this.#counts = new TaskCounts(database);
    this.#starts = new StartRows(database);
    this.#wanting = new WantingRows(database);
    this.id = String(database.one("SELECT value FROM meta WHERE key = 'id'")?.["value"]);
    this.#dataVersion = this.#database.dataVersion();
    this.#bell = fileBell(
      `${file}-bells`,
      () => this.#hasChangedElsewhere(),
      () => this.#ring([]),
    );
    database.onCommit(() => this.#bell.ring());
    database.onUndone(() => this.#tasks.forget());
  }

  async transaction<T>(durability: Durability, work: () => T): Promise<T> {
    let written: Written[] = [];
    const result = await this.#database.transaction(durability, () => {
      this.#written = [];
      const done = work();
      written = this.#written;
      return done;
    });
    if (written.length > 0) this.#ring(written);
    return result;
  }

  addEvent(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope {
    const envelope = this.#events.add(stream, event, at, attempt);
    this.#written.push({ position: envelope.position, stream, type: event.type });
    return envelope;
  }

  readEvents(query: ReadQuery): Envelope[] {
    return this.#events.read(query);
  }

  head(): number {
    return this.#events.head();
  }

  task(id: TaskId): TaskView | undefined {
    const task = this.#tasks.get(id);
    if (task === undefined) this.#events.isEmpty(`task:${id}`);
    return task;
  }

  putTask(task: TaskView): void {
    const before = task.position > task.firstPosition ? this.#tasks.get(task.id) : undefined;
    this.#due.changed(before, task);
    this.#counts.changed(before, task);
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
    return this.#tasks.select(`WHERE ${HELD} AND holder = ? ORDER BY ordinal`, worker);
  }

  countComputing(): number {
    return this.#counts.computing();
  }

  countInTree(root: TaskId): number {
    return this.#counts.inTree(root);
  }

  nextDue(request: ClaimRequest, now: number): NextDue {
    return this.#due.next(request, now);
  }

  writing(): TaskView[] {
    return this.#due.writing();
  }

  pendingLanes(): string[] {
    return this.#due.pendingLanes();
  }

  nextDueIn(lane: string | null, request: ClaimRequest, now: number): TaskView | undefined {
    return this.#due.nextIn(lane, request, now);
  }

  dueUnder(roots: readonly TaskId[], request: ClaimRequest, now: number): TaskView[] {
    return this.#due.under(roots, request, now);
  }

  nextNumber(agent: string): number {
    return this.#starts.nextNumber(agent);
  }

  wantSlot(task: TaskId): number {
    return this.#wanting.want(task);
  }

  forgetSlot(task: TaskId): void {
    this.#wanting.forget(task);
  }

  countWanting(): number {
    return this.#wanting.count();
  }

  addStart(at: number): void {
    this.#starts.addStart(at);
  }

  forgetStarts(until: number): void {
    this.#starts.forgetStarts(until);
  }

  startBefore(count: number, after: number): number | undefined {
    return this.#starts.startBefore(count, after);
  }

  session(id: SessionId): SessionView | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined) this.#events.isEmpty(`session:${id}`);
    return session;
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
    this.#starts.putWorker(worker);
  }

  holders(): Worker[] {
    return this.#counts.holders();
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

  subscribe(ring: Bell): Disposable {
    const bell: Bell = (written) => ring(written);
    this.#bells.add(bell);
    return { [Symbol.dispose]: () => void this.#bells.delete(bell) };
  }

  async close(): Promise<void> {
    this.#bell[Symbol.dispose]();
    this.#bells.clear();
    await this.#database.close();
  }

  #ring(written: readonly Written[]): void {
    for (const bell of this.#bells) bell(written);
  }

  #hasChangedElsewhere(): boolean {
    const version = this.#database.dataVersion();
    const hasChanged = version !== this.#dataVersion;
    this.#dataVersion = version;
    return hasChanged;
  }
}
