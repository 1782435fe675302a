import type { Ledger } from "../../domain/budgets.ts";
import type { Bell, ClaimRequest, InboxQuery, ReadQuery, SessionQuery, TaskQuery } from "../../ports/index.ts";
import type {
  CoolDown,
  Cost,
  Envelope,
  InboxItem,
  InboxItemId,
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

export type Durability = "power" | "soon" | "process";

export interface Reservation {
  readonly id: ReservationId;
  readonly amount: Cost;
  readonly use: ReservationUse;
}

export interface LedgerRow {
  readonly task: TaskId;
  readonly parent: TaskId | null;
  readonly ledger: Ledger;
  /** Made by the task itself, and not settled yet; those below it have their own. */
  readonly open: readonly Reservation[];
}

/**
 * The rows behind an embedded store. Everything but `transaction` is synchronous, so a transaction is one
 * piece of code that nothing else of this process can come between.
 *
 * - `transaction` MUST make all of `work`'s writes durable together, or none of them if it throws, and MUST
 *   keep other processes out meanwhile. `power`: also against a power cut; `process`: against everything else;
 *   `soon`: like `process` when it returns, and like `power` as soon as the disk allows.
 * - Rows that are returned MUST NOT be changed by anybody.
 */
export interface Tables {
  readonly id: string;
  transaction<T>(durability: Durability, work: () => T): Promise<T>;

  addEvent(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope;
  readEvents(query: ReadQuery): Envelope[];
  head(): number;

  task(id: TaskId): TaskView | undefined;
  putTask(task: TaskView): void;
  tasks(query: TaskQuery): TaskView[];
  findTasks(ref: TaskRef, limit: number): TaskView[];
  heldBy(worker: WorkerId): TaskView[];
  countComputing(): number;
  countInTree(root: TaskId): number;
  /** The pending task that is due and comes first, or when the next will be due. */
  nextDue(request: ClaimRequest, now: number): { task: TaskView | undefined; until: number | null };
  /** Tasks that are held and write where others may. */
  writing(): TaskView[];
  /** Where pending tasks write, each once (domain/write-lanes.ts). */
  pendingLanes(): string[];
  /** As `nextDue`, of one lane; `null`: of those that write nowhere. */
  nextDueIn(lane: string | null, request: ClaimRequest, now: number): TaskView | undefined;
  /** All in these trees that are due and write somewhere. */
  dueUnder(roots: readonly TaskId[], request: ClaimRequest, now: number): TaskView[];
  nextNumber(agentKey: string): number;

  /** Attempts that want their slot back, first come first: how many stand before this one. */
  wantSlot(task: TaskId): number;
  forgetSlot(task: TaskId): void;
  countWanting(): number;

  addStart(at: number): void;
  forgetStarts(until: number): void;
  /** Of the starts after this time, the one that so many newer ones follow. */
  startBefore(count: number, after: number): number | undefined;

  session(id: SessionId): SessionView | undefined;
  putSession(session: SessionView): void;
  sessions(query: SessionQuery): SessionView[];

  item(id: InboxItemId): InboxItem | undefined;
  itemsOf(task: TaskId): InboxItem[];
  putItem(item: InboxItem): void;
  items(query: InboxQuery): InboxItem[];

  putWorker(worker: Worker): void;
  holders(): Worker[];
  resident(): Worker | undefined;
  putResident(worker: Worker | null): void;

  coolDowns(): CoolDown[];
  putCoolDown(coolDown: CoolDown): void;

  ledger(task: TaskId): LedgerRow | undefined;
  putLedger(row: LedgerRow): void;

  subscribe(ring: Bell): Disposable;
  close(): Promise<void>;
}
