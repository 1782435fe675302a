import { agentKey } from "../../domain/agent-names.ts";
import { mayFitSoon, shortfall, wholeCap } from "../../domain/budgets.ts";
import { coolDownAfter } from "../../domain/cool-downs.ts";
import { decideCommand } from "../../domain/commands.ts";
import { breadcrumbOf } from "../../domain/summaries.ts";
import { admitTask, applyControlEvent } from "../../domain/task-projection.ts";
import { isHeld } from "../../domain/transitions.ts";
import type {
  Admission,
  AdmissionRefusal,
  AdmitAnswer,
  Appended,
  Bell,
  ClaimAnswer,
  ClaimedTask,
  ClaimRefusal,
  ClaimRequest,
  Clock,
  CommandAnswer,
  HeldEntry,
  Hold,
  InboxQuery,
  ReadQuery,
  SessionQuery,
  Store,
  TaskQuery,
} from "../../ports/index.ts";
import {
  type CoolDown,
  type InboxItemId,
  type Limited,
  NOTHING,
  type SessionId,
  type TaskCommand,
  type TaskId,
  type TaskRef,
  type TaskView,
  type Worker,
  type WorkerId,
} from "../../schema/index.ts";
import { chargeCalls, durabilityOf, writeEntries } from "./held-entries.ts";
import { Inbox } from "./inbox.ts";
import { Ledgers } from "./ledgers.ts";
import { Sessions } from "./sessions.ts";
import type { Tables } from "./tables.ts";
import { TaskLog } from "./task-log.ts";
import { nextFree } from "./write-lanes.ts";

const MINUTE_MS = 60_000;
const MATCHES_SHOWN = 5;

/** The verbs of a store that lives in this process or in one file beside it: written once, over rows. */
export class EmbeddedStore implements Store {
  readonly id: string;
  readonly #tables: Tables;
  readonly #clock: Pick<Clock, "now">;
  readonly #ledgers: Ledgers;
  readonly #sessions: Sessions;
  readonly #inbox: Inbox;
  readonly #log: TaskLog;

  constructor(tables: Tables, clock: Pick<Clock, "now">) {
    this.id = tables.id;
    this.#tables = tables;
    this.#clock = clock;
    this.#ledgers = new Ledgers(tables);
    this.#sessions = new Sessions(tables, clock);
    this.#inbox = new Inbox(tables, clock);
    this.#log = new TaskLog(tables, clock, this.#inbox);
  }

  admit(admissions: readonly Admission[], hold?: Hold, claim?: ClaimRequest): Promise<AdmitAnswer> {
    // Whoever asks from outside relies on it from then on. What a holder asks is durable with what it does next.
    const outside = admissions.every(({ isAwaited }) => isAwaited) ? "soon" : "power";
    return this.#tables.transaction(hold === undefined ? outside : "process", () => {
      if (hold !== undefined) this.#log.checkHold(hold);
      for (const [index, admission] of admissions.entries()) {
        const refusal = this.#refusal(admission, admissions.slice(0, index));
        if (refusal !== null) return { kind: "refused", index, refusal };
      }
      const tasks = admissions.map((admission) => this.#admitOne(admission));
      return { kind: "admitted", tasks, claims: claim === undefined ? [] : this.#claimAll(claim).claims };
    });
  }

  #refusal(
    { id, spec, continues, forks, maxPerRoot }: Admission,
    before: readonly Admission[],
  ): AdmissionRefusal | null {
    const { session, parent, root, limits } = spec;
    if (this.#tables.task(id) !== undefined || before.some((other) => other.id === id))
      return { why: "duplicate", task: id };
    if (parent !== null) {
      const status = this.#tables.task(parent)?.status ?? "failed";
      if (!isHeld(status)) return { why: "parent-ended", parent, status };
    }
    if (continues !== (this.#sessions.find(session) !== undefined)) return { why: "no-session", session };
    if (forks !== undefined && this.#sessions.find(forks.session) === undefined)
      return { why: "no-session", session: forks.session };
    const unfinished = this.#sessions.busyWith(session) ?? before.find((other) => other.spec.session === session)?.id;
    if (unfinished !== undefined) return { why: "session-busy", session, task: unfinished };
    const siblings = before.filter((other) => other.spec.root === root).length;
    if (this.#tables.countInTree(root) + siblings >= maxPerRoot) return { why: "fan-out", limit: maxPerRoot };
    const chain = this.#ledgers.chainFor(parent, limits.budget);
    const short = shortfall(chain, NOTHING);
    if (short === null) return null;
    // What is only under way is waited for when it runs.
    const isBelowWhole = parent !== null && this.#ledgers.isBelowWhole(parent);
    return mayFitSoon(chain, NOTHING, isBelowWhole) ? null : { why: "budget", ...short };
  }

  #admitOne(admission: Admission): TaskView {
    const { id, spec, reserve, reservation } = admission;
    const number = this.#tables.nextNumber(agentKey(spec.definition.name));
    const cap = reserve === "whole" ? wholeCap(this.#ledgers.chainFor(spec.parent, spec.limits.budget)) : null;
    this.#ledgers.open(id, spec.parent, spec.limits.budget);
    if (cap !== null) this.#ledgers.reserve(id, reservation, cap, "whole");
    const reserved = cap === null ? null : { id: reservation, amount: cap };
    const event = { type: "task.admitted", spec, number, reserved } as const;
    const envelope = this.#tables.addEvent(`task:${id}`, event, this.#clock.now(), null);
    this.#tables.putTask(admitTask(id, event, envelope));

    const parent = spec.parent === null ? null : this.#log.get(spec.parent);
    this.#sessions.admitted(admission, parent?.spec.session ?? null);
    if (parent !== null) {
      const started = {
        type: "child.started",
        child: id,
        agent: spec.definition.name,
        background: spec.background,
      } as const;
      this.#log.add(parent.id, started, parent.attempts.length);
    }
    return this.#log.get(id);
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    // Looked at first without keeping anybody out: most claims of an idle or a busy worker come to nothing.
    const { task, until, isHeldBack } = nextFree(this.#tables, request, this.#clock.now());
    if (task === undefined) return isHeldBack ? { kind: "held-back" } : { kind: "idle", until };
    if (this.#isFull(request)) return { kind: "full" };
    return this.#tables.transaction("process", () => {
      const { claims, rest } = this.#claimAll(request);
      return claims.length === 0 && rest !== null ? rest : { kind: "claimed", claims, rest };
    });
  }

  #claimAll(request: ClaimRequest): { readonly claims: readonly ClaimedTask[]; readonly rest: ClaimRefusal | null } {
    const claims: ClaimedTask[] = [];
    while (claims.length < request.most) {
      const answer = this.#claimOne(request);
      if (!("hold" in answer)) return { claims, rest: answer };
      claims.push(answer);
    }
    return { claims, rest: null };
  }

  #claimOne(request: ClaimRequest): ClaimedTask | ClaimRefusal {
    const now = this.#clock.now();
    const { task, until, isHeldBack } = nextFree(this.#tables, request, now);
    if (task === undefined) return isHeldBack ? { kind: "held-back" } : { kind: "idle", until };
    if (this.#isFull(request)) return { kind: "full" };
    const oldest = this.#tables.startBefore(request.rateLimitPerMin - 1, now - MINUTE_MS);
    if (oldest !== undefined) return { kind: "limited", until: oldest + MINUTE_MS };

    const { worker } = request;
    this.#tables.forgetStarts(now - MINUTE_MS);
    this.#tables.addStart(now);
    this.#tables.putWorker(worker);
    const attempt = task.attempts.length + 1;
    const view = this.#log.add(
      task.id,
      { type: "attempt.started", worker, backend: task.backend, tokenSha256: request.tokenSha256() },
      attempt,
    );
    return { hold: { task: task.id, attempt, worker: worker.id }, task: view };
  }

  #isFull({ maxConcurrent }: ClaimRequest): boolean {
    return this.#tables.countComputing() + this.#tables.countWanting() >= maxConcurrent;
  }

  append(hold: Hold, entries: readonly HeldEntry[], before?: "effect"): Promise<Appended> {
    const by = { log: this.#log, ledgers: this.#ledgers, sessions: this.#sessions };
    const durability = before === "effect" ? "power" : durabilityOf(entries);
    return this.#tables.transaction(durability, () => writeEntries(by, hold, entries));
  }

  regain(hold: Hold, maxConcurrent: number): Promise<boolean> {
    return this.#tables.transaction("process", () => {
      this.#log.checkHold(hold);
      if (this.#log.get(hold.task).status === "running") return true;
      const ahead = this.#tables.wantSlot(hold.task);
      if (this.#tables.countComputing() + ahead >= maxConcurrent) return false;
      this.#log.add(hold.task, { type: "attempt.resumed" }, hold.attempt);
      return true;
    });
  }

  command(id: TaskId, command: TaskCommand): Promise<CommandAnswer> {
    return this.#tables.transaction("power", () => {
      const task = this.#log.get(id);
      const decision = decideCommand(task, command);
      if (decision.kind === "refused") return decision;
      if (decision.event.type === "task.requeued") {
        const { session } = task.spec;
        const other = this.#sessions.busyWith(session, id);
        if (other !== undefined) return { kind: "refused", refusal: { why: "session-busy", session, task: other } };
        this.#sessions.revive(session, id);
      }
      if (decision.kind === "control") {
        const envelope = this.#tables.addEvent(`control:${id}`, decision.event, this.#clock.now(), null);
        const told = applyControlEvent(task, decision.event, envelope);
        this.#tables.putTask(told);
        this.#inbox.follow(told, decision.event, envelope);
        return { kind: "told", task: this.#log.get(id) };
      }
      // What was set aside for a task that nobody runs, or will run, is free again.
      const { event } = decision;
      if (event.type === "task.ended" || (event.type === "task.requeued" && event.backend !== task.backend))
        for (const open of this.#ledgers.openOf(id)) this.#ledgers.settle(id, open.id, NOTHING);
      const ended = this.#log.add(id, decision.event, null);
      if (ended.outcome !== null && ended.spec.parent !== null) {
        const { session } = this.#log.get(ended.spec.parent).spec;
        this.#sessions.add({ type: "breadcrumb.left", session, breadcrumb: breadcrumbOf(ended, ended.outcome) });
      }
      return { kind: "done", task: ended };
    });
  }

  interrupt(worker: WorkerId, why: string): Promise<readonly TaskView[]> {
    return this.#tables.transaction("power", () =>
      this.#tables.heldBy(worker).map(({ id, attempts }) => {
        return this.#log.addAll(id, attempts.length, (add) => {
          chargeCalls(this.#ledgers, id, add);
          add({ type: "task.interrupted", why });
        });
      }),
    );
  }

  async holders() {
    return this.#tables.holders();
  }

  async resident() {
    return this.#tables.resident();
  }

  moveIn(worker: Worker, instead: WorkerId | null): Promise<boolean> {
    return this.#tables.transaction("process", () => {
      if ((this.#tables.resident()?.id ?? null) !== instead) return false;
      this.#tables.putResident(worker);
      return true;
    });
  }

  moveOut(request: ClaimRequest): Promise<boolean> {
    return this.#tables.transaction("process", () => {
      if (this.#tables.resident()?.id !== request.worker.id) return true;
      const { task, until } = this.#tables.nextDue(request, this.#clock.now());
      if (task !== undefined || until !== null) return false;
      this.#tables.putResident(null);
      return true;
    });
  }

  async task(id: TaskId) {
    return this.#tables.task(id);
  }

  async tasks(query: TaskQuery) {
    return this.#tables.tasks(query);
  }

  async findTasks(ref: TaskRef) {
    return this.#tables.findTasks(ref, MATCHES_SHOWN);
  }

  async session(id: SessionId) {
    return this.#tables.session(id);
  }

  async sessions(query: SessionQuery) {
    return this.#tables.sessions(query);
  }

  expireSession(session: SessionId, by: string, unusedSince: number): Promise<boolean> {
    return this.#tables.transaction("process", () => this.#sessions.expire(session, by, unusedSince));
  }

  async inbox(query: InboxQuery) {
    return this.#tables.items(query);
  }

  async inboxItem(id: InboxItemId) {
    return this.#tables.item(id);
  }

  coolDown(limited: Limited): Promise<CoolDown> {
    return this.#tables.transaction("process", () => {
      const before = this.#tables.coolDowns().find(({ account }) => account === limited.account);
      const coolDown = coolDownAfter(before, limited, this.#clock.now());
      this.#tables.putCoolDown(coolDown);
      return coolDown;
    });
  }

  async coolDowns(): Promise<readonly CoolDown[]> {
    return this.#tables.coolDowns().filter(({ until }) => until > this.#clock.now());
  }

  acknowledge(items: readonly InboxItemId[], by: string) {
    return this.#tables.transaction("process", () => this.#inbox.acknowledge(items, by));
  }

  async head() {
    return this.#tables.head();
  }

  async read(query: ReadQuery) {
    return this.#tables.readEvents(query);
  }

  subscribe(ring: Bell): Disposable {
    return this.#tables.subscribe(ring);
  }

  close(): Promise<void> {
    return this.#tables.close();
  }
}
