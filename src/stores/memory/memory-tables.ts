import { agentKey } from "../../domain/agent-names.ts";
import { laneOf } from "../../domain/write-lanes.ts";
import type { Bell, ClaimRequest, InboxQuery, ReadQuery, SessionQuery, TaskQuery } from "../../ports/index.ts";
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
import { canTake } from "../embedded/can-take.ts";
import type { Durability, LedgerRow, Tables } from "../embedded/tables.ts";
import { MemoryLog } from "./memory-log.ts";

/**
 * Rows in maps. A transaction is simply code that runs to its end; the store checks before it writes, so
 * there is nothing to roll back.
 */
export class MemoryTables implements Tables {
  readonly id = "memory";
  readonly #log = new MemoryLog();
  readonly #tasks = new Map<TaskId, TaskView>();
  readonly #sessions = new Map<SessionId, SessionView>();
  readonly #items = new Map<InboxItemId, InboxItem>();
  readonly #workers = new Map<WorkerId, Worker>();
  readonly #numbers = new Map<string, number>();
  readonly #wanting = new Set<TaskId>();
  readonly #ledgers = new Map<TaskId, LedgerRow>();
  #resident: Worker | undefined;
  readonly #coolDowns = new Map<string, CoolDown>();
  #starts: number[] = [];

  async transaction<T>(_durability: Durability, work: () => T): Promise<T> {
    const before = this.#log.head;
    const result = work();
    if (this.#log.head > before) this.#log.ring(before);
    return result;
  }

  addEvent(stream: StreamName, event: LogEvent, at: number, attempt: number | null): Envelope {
    return this.#log.add(stream, event, at, attempt);
  }

  readEvents(query: ReadQuery): Envelope[] {
    return this.#log.read(query);
  }

  head(): number {
    return this.#log.head;
  }

  task(id: TaskId): TaskView | undefined {
    return this.#tasks.get(id);
  }

  putTask(task: TaskView): void {
    this.#tasks.set(task.id, task);
  }

  tasks({ status, agent, root, parent, asking, before, limit }: TaskQuery): TaskView[] {
    const newestFirst = [...this.#tasks.values()].toReversed();
    const start = before === undefined ? 0 : newestFirst.findIndex(({ id }) => id === before) + 1;
    return newestFirst
      .slice(start)
      .filter(
        (task) =>
          (status === undefined || status.includes(task.status)) &&
          (agent === undefined || agentKey(task.spec.definition.name) === agentKey(agent)) &&
          (root === undefined || task.spec.root === root) &&
          (parent === undefined || task.spec.parent === parent) &&
          (asking === undefined ||
            task.approvals.some(({ id, state }) => (asking === true ? state === "open" : id === asking))),
      )
      .slice(0, limit);
  }

  findTasks(ref: TaskRef, limit: number): TaskView[] {
    const all = [...this.#tasks.values()];
    switch (ref.kind) {
      case "last":
        return all.slice(-1);
      case "number":
        return all.filter(({ number, spec }) => number === ref.number && agentKey(spec.definition.name) === ref.agent);
      case "id": {
        const whole = all.filter(({ id }) => id === ref.text);
        return whole.length > 0 ? whole : all.filter(({ id }) => id.endsWith(ref.text)).slice(0, limit);
      }
    }
  }

  heldBy(worker: WorkerId): TaskView[] {
    return [...this.#tasks.values()].filter(({ holder }) => holder === worker);
  }

  countComputing(): number {
    return [...this.#tasks.values()].filter(({ status }) => status === "running").length;
  }

  countInTree(root: TaskId): number {
    return [...this.#tasks.values()].filter(({ spec }) => spec.root === root).length;
  }

  nextDue(request: ClaimRequest, now: number): { task: TaskView | undefined; until: number | null } {
    const candidates = this.#pending(request);
    const [task] = inOrder(candidates.filter(isDueAt(now)));
    const times = candidates.map(({ spec }) => spec.notBefore ?? 0);
    return { task, until: task !== undefined || times.length === 0 ? null : Math.min(...times) };
  }

  writing(): TaskView[] {
    return [...this.#tasks.values()].filter(({ holder, spec }) => holder !== null && spec.writes !== undefined);
  }

  pendingLanes(): string[] {
    const pending = [...this.#tasks.values()].filter(({ status }) => status === "pending");
    return [...new Set(pending.map(({ spec }) => laneOf(spec)).filter((lane) => lane !== null))];
  }

  nextDueIn(lane: string | null, request: ClaimRequest, now: number): TaskView | undefined {
    return inOrder(this.#pending(request).filter((task) => isDueAt(now)(task) && laneOf(task.spec) === lane))[0];
  }

  dueUnder(roots: readonly TaskId[], request: ClaimRequest, now: number): TaskView[] {
    const isThere = ({ spec }: TaskView) => spec.writes !== undefined && roots.includes(spec.root);
    return this.#pending(request).filter((task) => isDueAt(now)(task) && isThere(task));
  }

  #pending(request: ClaimRequest): TaskView[] {
    return [...this.#tasks.values()].filter((task) => task.status === "pending" && canTake(request, task));
  }

  nextNumber(agent: string): number {
    const number = (this.#numbers.get(agent) ?? 0) + 1;
    this.#numbers.set(agent, number);
    return number;
  }

  wantSlot(task: TaskId): number {
    this.#wanting.add(task);
    return [...this.#wanting].indexOf(task);
  }

  forgetSlot(task: TaskId): void {
    this.#wanting.delete(task);
  }

  countWanting(): number {
    return this.#wanting.size;
  }

  addStart(at: number): void {
    this.#starts.push(at);
  }

  forgetStarts(until: number): void {
    this.#starts = this.#starts.filter((start) => start > until);
  }

  startBefore(count: number, after: number): number | undefined {
    return this.#starts.filter((start) => start > after).at(-1 - count);
  }

  session(id: SessionId): SessionView | undefined {
    return this.#sessions.get(id);
  }

  putSession(session: SessionView): void {
    this.#sessions.set(session.id, session);
  }

  sessions({ agent, unusedSince, before, limit }: SessionQuery): SessionView[] {
    const lastUsedFirst = [...this.#sessions.values()].toSorted(
      (a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1),
    );
    const start = before === undefined ? 0 : lastUsedFirst.findIndex(({ id }) => id === before) + 1;
    return lastUsedFirst
      .slice(start)
      .filter(
        (session) =>
          session.expiredAt === null &&
          (agent === undefined || agentKey(session.agent) === agentKey(agent)) &&
          (unusedSince === undefined || session.updatedAt < unusedSince),
      )
      .slice(0, limit);
  }

  item(id: InboxItemId): InboxItem | undefined {
    return this.#items.get(id);
  }

  itemsOf(task: TaskId): InboxItem[] {
    return [...this.#items.values()].filter((item) => item.task === task);
  }

  putItem(item: InboxItem): void {
    this.#items.set(item.id, item);
  }

  items({ state, root, before, limit }: InboxQuery): InboxItem[] {
    const latestFirst = [...this.#items.values()].toReversed();
    const start = before === undefined ? 0 : latestFirst.findIndex(({ id }) => id === before) + 1;
    return latestFirst
      .slice(start)
      .filter(
        ({ read, isOpen, root: its }) =>
          (root === undefined || its === root) && (state === "all" || read === null || (state === "waiting" && isOpen)),
      )
      .slice(0, limit);
  }

  putWorker(worker: Worker): void {
    this.#workers.set(worker.id, worker);
  }

  holders(): Worker[] {
    const ids = new Set([...this.#tasks.values()].map(({ holder }) => holder));
    return [...this.#workers.values()].filter(({ id }) => ids.has(id));
  }

  coolDowns(): CoolDown[] {
    return [...this.#coolDowns.values()];
  }

  putCoolDown(coolDown: CoolDown): void {
    this.#coolDowns.set(coolDown.account, coolDown);
  }

  resident(): Worker | undefined {
    return this.#resident;
  }

  putResident(worker: Worker | null): void {
    this.#resident = worker ?? undefined;
  }

  ledger(task: TaskId): LedgerRow | undefined {
    return this.#ledgers.get(task);
  }

  putLedger(row: LedgerRow): void {
    this.#ledgers.set(row.task, row);
  }

  subscribe(ring: Bell): Disposable {
    return this.#log.subscribe(ring);
  }

  async close(): Promise<void> {}
}

const isDueAt =
  (now: number) =>
  ({ spec }: TaskView): boolean =>
    (spec.notBefore ?? 0) <= now;

/** Insertion order is age; a stable sort keeps it within a priority. */
const inOrder = (tasks: readonly TaskView[]): TaskView[] => tasks.toSorted((a, b) => b.spec.priority - a.spec.priority);
