import { agentKey } from "../../domain/agent-names.ts";
import { shortfall, wholeCap } from "../../domain/budgets.ts";
import { decideCommand } from "../../domain/commands.ts";
import { applySessionEvent } from "../../domain/session-projection.ts";
import { admitTask, applyControlEvent, applyTaskEvent } from "../../domain/task-projection.ts";
import { allows, hasEnded, isHeld, kindOf } from "../../domain/transitions.ts";
import { corruptLog, staleAttempt, taskNotFound } from "../../errors/index.ts";
import type {
  Admission,
  AdmissionRefusal,
  AdmitAnswer,
  ClaimAnswer,
  ClaimRequest,
  Clock,
  CommandAnswer,
  HeldEvent,
  Hold,
  ReadQuery,
  ReserveAnswer,
  Store,
  TaskQuery,
} from "../../ports/index.ts";
import {
  type Amount,
  NOTHING,
  type ReservationId,
  type SessionEvent,
  type SessionId,
  type SessionView,
  type TaskCommand,
  type TaskEvent,
  type TaskId,
  type TaskRef,
  type TaskView,
  type Worker,
  type WorkerId,
} from "../../schema/index.ts";
import { MemoryLedgers } from "./memory-ledgers.ts";
import { MemoryLog } from "./memory-log.ts";

const MINUTE_MS = 60_000;
const MATCHES_SHOWN = 5;

export const memoryStore = (clock: Pick<Clock, "now">): Store => new MemoryStore(clock);

/**
 * The store for tests, demos and the library's throw-away runs. Every verb runs to its end without a pause,
 * which is what makes it a transaction here.
 */
class MemoryStore implements Store {
  readonly id = "memory";
  readonly #clock: Pick<Clock, "now">;
  readonly #log = new MemoryLog();
  readonly #ledgers = new MemoryLedgers();
  readonly #tasks = new Map<TaskId, TaskView>();
  readonly #sessions = new Map<SessionId, SessionView>();
  readonly #workers = new Map<WorkerId, Worker>();
  readonly #numbers = new Map<string, number>();
  /** Attempts that want their slot back, first come first. */
  readonly #wanting = new Set<TaskId>();
  #starts: number[] = [];

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  async admit(admissions: readonly Admission[]): Promise<AdmitAnswer> {
    for (const [index, admission] of admissions.entries()) {
      const refusal = this.#refusal(admission, admissions.slice(0, index));
      if (refusal !== null) return { kind: "refused", index, refusal };
    }
    const tasks = admissions.map((admission) => this.#admitOne(admission));
    this.#log.ring();
    return { kind: "admitted", tasks };
  }

  #refusal({ id, spec, continues, maxPerRoot }: Admission, before: readonly Admission[]): AdmissionRefusal | null {
    const { session, parent, root, limits } = spec;
    if (this.#tasks.has(id) || before.some((other) => other.id === id)) return { why: "duplicate", task: id };
    if (parent !== null) {
      const status = this.#tasks.get(parent)?.status ?? "failed";
      if (!isHeld(status)) return { why: "parent-ended", parent, status };
    }
    const view = this.#sessions.get(session);
    if (continues !== (view !== undefined)) return { why: "no-session", session };
    const busy = view?.tasks.find((task) => !hasEnded(this.#tasks.get(task)?.status ?? "completed"));
    if (busy !== undefined) return { why: "session-busy", session, task: busy };
    const family = [...this.#tasks.values()].filter((task) => task.spec.root === root).length;
    const siblings = before.filter((other) => other.spec.root === root).length;
    if (family + siblings >= maxPerRoot) return { why: "fan-out", limit: maxPerRoot };
    const short = shortfall(this.#ledgers.chainFor(parent, limits.budget), NOTHING);
    return short === null ? null : { why: "budget", ...short };
  }

  #admitOne({ id, spec, continues, reserve, reservation }: Admission): TaskView {
    const key = agentKey(spec.definition.name);
    const number = (this.#numbers.get(key) ?? 0) + 1;
    this.#numbers.set(key, number);
    const cap = reserve === "whole" ? wholeCap(this.#ledgers.chainFor(spec.parent, spec.limits.budget)) : null;
    this.#ledgers.open(id, spec.parent, spec.limits.budget);
    if (cap !== null) this.#ledgers.reserve(id, reservation, cap);
    const reserved = cap === null ? null : { id: reservation, amount: cap };
    const event = { type: "task.admitted", spec, number, reserved } as const;
    const envelope = this.#log.add(`task:${id}`, event, this.#clock.now(), null);
    this.#tasks.set(id, admitTask(id, event, envelope));

    const parentSession = spec.parent === null ? null : (this.#tasks.get(spec.parent)?.spec.session ?? null);
    const { session } = spec;
    this.#addSessionEvent(
      continues
        ? { type: "session.continued", session, task: id }
        : { type: "session.opened", session, agent: spec.definition.name, parent: parentSession, task: id },
    );
    this.#addSessionEvent({ type: "message.kept", session, message: { role: "user", content: spec.prompt, task: id } });
    return this.#get(id);
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    const now = this.#clock.now();
    const candidates = [...this.#tasks.values()].filter(
      ({ status, spec, backend }) =>
        status === "pending" &&
        request.dispatch.includes(spec.dispatch) &&
        request.backends.includes(backend) &&
        (request.root === undefined || spec.root === request.root),
    );
    const due = candidates.filter(({ spec }) => (spec.notBefore ?? 0) <= now);
    if (due.length === 0) {
      const times = candidates.map(({ spec }) => spec.notBefore ?? 0);
      return { kind: "idle", until: times.length === 0 ? null : Math.min(...times) };
    }
    if (this.#computing() + this.#wanting.size >= request.maxConcurrent) return { kind: "full" };
    this.#starts = this.#starts.filter((at) => at > now - MINUTE_MS);
    const oldest = this.#starts[this.#starts.length - request.rateLimitPerMin];
    if (oldest !== undefined) return { kind: "limited", until: oldest + MINUTE_MS };

    // Insertion order is age; a stable sort keeps it within a priority.
    const [task] = due.toSorted((a, b) => b.spec.priority - a.spec.priority);
    if (task === undefined) return { kind: "idle", until: null };
    this.#starts.push(now);
    this.#workers.set(request.worker.id, request.worker);
    const attempt = task.attempts.length + 1;
    const { worker, tokenSha256 } = request;
    this.#addTaskEvent(task.id, { type: "attempt.started", worker, backend: task.backend, tokenSha256 }, attempt);
    this.#log.ring();
    return { kind: "claimed", hold: { task: task.id, attempt, worker: worker.id }, task: this.#get(task.id) };
  }

  async append(hold: Hold, events: readonly HeldEvent[]): Promise<TaskView> {
    this.#checkHold(hold);
    this.#checkTransitions(hold.task, events);
    for (const event of events) {
      if ("session" in event) this.#addSessionEvent(event);
      else {
        if (leavesAttempt(event)) this.#chargeOpen(hold);
        this.#addTaskEvent(hold.task, event, hold.attempt);
      }
    }
    this.#log.ring();
    return this.#get(hold.task);
  }

  async regain(hold: Hold, maxConcurrent: number): Promise<boolean> {
    this.#checkHold(hold);
    if (this.#get(hold.task).status === "running") return true;
    this.#wanting.add(hold.task);
    const ahead = [...this.#wanting].indexOf(hold.task);
    if (this.#computing() + ahead >= maxConcurrent) return false;
    this.#addTaskEvent(hold.task, { type: "attempt.resumed" }, hold.attempt);
    this.#log.ring();
    return true;
  }

  async command(task: TaskId, command: TaskCommand): Promise<CommandAnswer> {
    const decision = decideCommand(this.#get(task), command);
    if (decision.kind === "refused") return decision;
    if (decision.kind === "control") {
      const envelope = this.#log.add(`control:${task}`, decision.event, this.#clock.now(), null);
      this.#tasks.set(task, applyControlEvent(this.#get(task), decision.event, envelope));
    } else {
      this.#release(task);
      this.#addTaskEvent(task, decision.event, null);
    }
    this.#log.ring();
    return { kind: decision.kind === "control" ? "told" : "done", task: this.#get(task) };
  }

  async interrupt(worker: WorkerId, why: string): Promise<readonly TaskView[]> {
    const held = [...this.#tasks.values()].filter(({ holder }) => holder === worker);
    for (const { id, attempts } of held) {
      const hold = { task: id, attempt: attempts.length, worker };
      this.#chargeOpen(hold);
      this.#addTaskEvent(id, { type: "task.interrupted", why }, hold.attempt);
    }
    if (held.length > 0) this.#log.ring();
    return held.map(({ id }) => this.#get(id));
  }

  async holders(): Promise<readonly Worker[]> {
    const ids = new Set([...this.#tasks.values()].map(({ holder }) => holder));
    return [...this.#workers.values()].filter(({ id }) => ids.has(id));
  }

  async reserve(hold: Hold, reservation: ReservationId, wanted: Amount | "whole"): Promise<ReserveAnswer> {
    this.#checkHold(hold);
    const chain = this.#ledgers.chainOf(hold.task);
    const amount = wanted === "whole" ? wholeCap(chain) : wanted;
    const short = shortfall(chain, amount ?? NOTHING);
    if (short !== null) return { kind: "short", ...short };
    if (amount === null) return { kind: "reserved", amount };
    this.#ledgers.reserve(hold.task, reservation, amount);
    this.#addTaskEvent(hold.task, { type: "budget.reserved", reservation, amount }, hold.attempt);
    this.#log.ring();
    return { kind: "reserved", amount };
  }

  async settle(hold: Hold, reservation: ReservationId, spent: Amount): Promise<void> {
    this.#checkHold(hold);
    const reserved = this.#ledgers.settle(reservation, spent);
    if (reserved === undefined) throw corruptLog(`${reservation} was settled twice, or never reserved`);
    this.#addTaskEvent(hold.task, { type: "budget.settled", reservation, reserved, spent }, hold.attempt);
    this.#log.ring();
  }

  async task(id: TaskId): Promise<TaskView | undefined> {
    return this.#tasks.get(id);
  }

  async tasks({ status, agent, root, parent, before, limit }: TaskQuery): Promise<readonly TaskView[]> {
    const newestFirst = [...this.#tasks.values()].toReversed();
    const start = before === undefined ? 0 : newestFirst.findIndex(({ id }) => id === before) + 1;
    return newestFirst
      .slice(start)
      .filter(
        (task) =>
          (status === undefined || status.includes(task.status)) &&
          (agent === undefined || agentKey(task.spec.definition.name) === agentKey(agent)) &&
          (root === undefined || task.spec.root === root) &&
          (parent === undefined || task.spec.parent === parent),
      )
      .slice(0, limit);
  }

  async findTasks(ref: TaskRef): Promise<readonly TaskView[]> {
    const all = [...this.#tasks.values()];
    switch (ref.kind) {
      case "last":
        return all.slice(-1);
      case "number":
        return all.filter(({ number, spec }) => number === ref.number && agentKey(spec.definition.name) === ref.agent);
      case "id": {
        const whole = all.filter(({ id }) => id === ref.text);
        return whole.length > 0 ? whole : all.filter(({ id }) => id.endsWith(ref.text)).slice(0, MATCHES_SHOWN);
      }
    }
  }

  async session(id: SessionId): Promise<SessionView | undefined> {
    return this.#sessions.get(id);
  }

  async head(): Promise<number> {
    return this.#log.head;
  }

  async read(query: ReadQuery) {
    return this.#log.read(query);
  }

  subscribe(ring: () => void): Disposable {
    return this.#log.subscribe(ring);
  }

  async close(): Promise<void> {}

  #get(id: TaskId): TaskView {
    const task = this.#tasks.get(id);
    if (task === undefined) throw taskNotFound(id);
    return task;
  }

  #computing(): number {
    return [...this.#tasks.values()].filter(({ status }) => status === "running").length;
  }

  #checkHold({ task, attempt, worker }: Hold): void {
    const view = this.#get(task);
    if (view.holder !== worker || view.attempts.length !== attempt) throw staleAttempt(task, attempt);
  }

  /** Before the first is written: a batch is all or nothing. */
  #checkTransitions(task: TaskId, events: readonly HeldEvent[]): void {
    let view = this.#get(task);
    for (const event of events) {
      if ("session" in event) continue;
      if (!allows(view.status, kindOf(event))) throw corruptLog(`"${event.type}" cannot happen to a ${view.status} task`);
      view = applyTaskEvent(view, event, { at: 0, position: view.position, attempt: view.attempts.length });
    }
  }

  #addTaskEvent(task: TaskId, event: TaskEvent, attempt: number | null): void {
    const envelope = this.#log.add(`task:${task}`, event, this.#clock.now(), attempt);
    const view = applyTaskEvent(this.#get(task), event, envelope);
    this.#tasks.set(task, view);
    if (view.status !== "waiting") this.#wanting.delete(task);
  }

  #addSessionEvent(event: SessionEvent): void {
    const at = this.#clock.now();
    this.#sessions.set(event.session, applySessionEvent(this.#sessions.get(event.session), event, at));
    this.#log.add(`session:${event.session}`, event, at, null);
  }

  /** What is still reserved when an attempt ends counts as spent: the call may have been made. */
  #chargeOpen({ task, attempt }: Hold): void {
    for (const { id, amount } of this.#ledgers.openOf(task)) {
      this.#ledgers.settle(id, amount);
      this.#addTaskEvent(task, { type: "budget.settled", reservation: id, reserved: amount, spent: amount }, attempt);
    }
  }

  /** What was set aside for a task that nobody ran is free again. */
  #release(task: TaskId): void {
    for (const { id } of this.#ledgers.openOf(task)) this.#ledgers.settle(id, NOTHING);
  }
}

const leavesAttempt = ({ type }: TaskEvent): boolean =>
  type === "task.ended" || type === "task.requeued" || type === "task.interrupted";
