import type {
  ApprovalId,
  BackendName,
  CommandRefusal,
  CoolDown,
  Cost,
  Dispatch,
  Envelope,
  InboxItem,
  InboxItemId,
  Limited,
  LogEvent,
  ModelUsage,
  Need,
  ReservationId,
  ReservationUse,
  SessionEvent,
  SessionId,
  SessionView,
  StreamName,
  TaskCommand,
  TaskEvent,
  TaskId,
  TaskRef,
  TaskSpec,
  TaskStatus,
  TaskView,
  Worker,
  WorkerId,
} from "../schema/index.ts";

/** Proof that its bearer holds a task. The attempt number is the fence: an old bearer's is too low. */
export interface Hold {
  readonly task: TaskId;
  readonly attempt: number;
  readonly worker: WorkerId;
}

export interface Admission {
  readonly id: TaskId;
  readonly spec: TaskSpec;
  /** Whether `spec.session` exists already. Where not, it is opened. */
  readonly continues: boolean;
  /** The new session begins with the last so many messages of this one. */
  readonly forks?: { readonly session: SessionId; readonly messages: number } | undefined;
  /**
   * `whole`: set aside all that the budget allows, for a backend that cannot say what a call costs. Only of a root: below one,
   * others would wait for a task that nobody may come to run.
   */
  readonly reserve: "whole" | "none";
  readonly reservation: ReservationId;
  /** Tasks under one root, this one included, at the most. */
  readonly maxPerRoot: number;
  /** Whoever asks relies on its end alone: it may be a moment before it would outlive a power cut. */
  readonly isAwaited: boolean;
}

/** What a holder may write itself. The rest of a task's life has verbs of its own, which count and check. */
export type HeldEvent =
  | Exclude<SessionEvent, { type: "session.expired" }>
  | Exclude<
      TaskEvent,
      {
        type:
          | "task.admitted"
          | "attempt.started"
          | "attempt.resumed"
          | "child.started"
          | "budget.reserved"
          | "budget.settled";
      }
    >;

/**
 * Before a call that costs: the amount must fit this task's budget and every one above it. `whole`: all that is left, for
 * a backend that cannot say what one call costs.
 */
export interface Reserve {
  readonly type: "reserve";
  readonly reservation: ReservationId;
  readonly amount: Cost | "whole";
  readonly use: ReservationUse;
  /** Where given, the amount is made smaller: to at most this share of what is left. */
  readonly share?: number | undefined;
  /** Written with it, and not at all where it does not fit: a turn in which nothing can be sent is none. */
  readonly begins?: TurnStarted | undefined;
  /** Given back with it, and not at all where it does not fit even so: nobody else comes between. */
  readonly insteadOf?: ReservationId | undefined;
}

export type TurnStarted = Extract<TaskEvent, { type: "turn.started" }>;

/** After it: what was reserved is given back, what was spent is counted, up to the root. The rest is as in the event. */
export interface Settle {
  readonly type: "settle";
  readonly reservation: ReservationId;
  readonly spent: Cost;
  readonly isBound?: true;
  readonly usage?: ModelUsage;
  readonly isAside?: true;
}

export type HeldEntry = HeldEvent | Reserve | Settle;

export interface Appended {
  readonly task: TaskView;
  /** One answer for each `reserve`, in their order. */
  readonly reserved: readonly ReserveAnswer[];
}

export type AdmitAnswer =
  /** `claims`: what the worker that has asked takes at once. */
  | { readonly kind: "admitted"; readonly tasks: readonly TaskView[]; readonly claims: readonly ClaimedTask[] }
  | { readonly kind: "refused"; readonly index: number; readonly refusal: AdmissionRefusal };

export type AdmissionRefusal =
  | { readonly why: "duplicate"; readonly task: TaskId }
  | { readonly why: "no-session"; readonly session: SessionId }
  | { readonly why: "session-busy"; readonly session: SessionId; readonly task: TaskId }
  | { readonly why: "fan-out"; readonly limit: number }
  | { readonly why: "budget"; readonly unit: string; readonly left: number }
  | { readonly why: "parent-ended"; readonly parent: TaskId; readonly status: TaskStatus };

export interface ClaimRequest {
  readonly worker: Worker;
  /** So many tasks at once, at the most. */
  readonly most: number;
  /** Of a new token for each attempt. */
  readonly tokenSha256: () => string;
  readonly dispatch: readonly Dispatch[];
  /** Only tasks of this tree, where given: `cadre run` works for itself. */
  readonly root?: TaskId | undefined;
  /** Backends that this worker can run. */
  readonly backends: readonly BackendName[];
  /** What this worker has. It is given no task that needs anything else. */
  readonly has: readonly Need[];
  readonly maxConcurrent: number;
  readonly rateLimitPerMin: number;
  /** Whether it is given tasks that write where others at work do, too. */
  readonly mayCollide?: boolean | undefined;
}

export interface ClaimedTask {
  readonly hold: Hold;
  readonly task: TaskView;
}

export type ClaimAnswer =
  /** At least one. `rest`: why they are not as many as were asked for. */
  | { readonly kind: "claimed"; readonly claims: readonly ClaimedTask[]; readonly rest: ClaimRefusal | null }
  | ClaimRefusal;

export type ClaimRefusal =
  /** Nothing to do. `until`: when the next task that is not due yet will be. */
  | { readonly kind: "idle"; readonly until: number | null }
  /** All that is due would write where a task at work does. */
  | { readonly kind: "held-back" }
  /** All slots are taken, or promised to attempts that come back from waiting. */
  | { readonly kind: "full" }
  /** Too many starts in the last minute. `until`: when the next may be. */
  | { readonly kind: "limited"; readonly until: number };

export type CommandAnswer =
  /** `done`: nobody held the task, the fact is written. `told`: its worker will read it. */
  | { readonly kind: "done" | "told"; readonly task: TaskView }
  | { readonly kind: "refused"; readonly refusal: CommandRefusal };

export type ReserveAnswer =
  /**
   * `amount`: null where nothing limits it, so nothing was set aside; only for the whole, and for later. `reservation`: the
   * one that was asked for, or what an earlier attempt of the task has kept for later already.
   */
  | { readonly kind: "reserved"; readonly reservation: ReservationId; readonly amount: Cost | null }
  /**
   * `isBusy`: it may fit when calls that are under way in the tree are settled, or backends have ended that have set aside the
   * whole; of these only where neither this task nor one above it has done so (domain/budgets.ts).
   */
  | { readonly kind: "short"; readonly unit: string; readonly left: number; readonly isBusy: boolean };

export interface TaskQuery {
  readonly status?: readonly TaskStatus[] | undefined;
  readonly agent?: string | undefined;
  readonly root?: TaskId | undefined;
  readonly parent?: TaskId | undefined;
  /** Only those with a question that is open, or with this very one. */
  readonly asking?: true | ApprovalId | undefined;
  /** Newest first; a page begins before this task. */
  readonly before?: TaskId | undefined;
  readonly limit: number;
}

export interface SessionQuery {
  readonly agent?: string | undefined;
  /** Only those that nothing has happened in since this time. */
  readonly unusedSince?: number | undefined;
  /** The last used first; a page begins before this session. */
  readonly before?: SessionId | undefined;
  readonly limit: number;
}

/** `waiting`: unread, or still without the answer that is wanted. */
export type InboxState = "unread" | "waiting" | "all";

export interface InboxQuery {
  readonly state: InboxState;
  /** Of this task, which is a root, and everything below it. */
  readonly root?: TaskId | undefined;
  /** The latest first; a page begins before this item. */
  readonly before?: InboxItemId | undefined;
  readonly limit: number;
}

export interface ReadQuery {
  /** All streams, where none is named. */
  readonly stream?: StreamName | undefined;
  /** A position: 0 is the beginning. */
  readonly after: number;
  readonly limit: number;
}

/** One event of a commit: where it stands, and of what kind it is. */
export interface Written {
  readonly position: number;
  readonly stream: StreamName;
  readonly type: LogEvent["type"];
}

/** `written`: all of one commit, in order; none where that is not known here. */
export type Bell = (written: readonly Written[]) => void;

/**
 * The log and what is derived from it. Each verb is one transaction: all of it is there afterwards, or none
 * of it, also after a power cut. What a verb has acknowledged is durable.
 *
 * - A task's own stream MUST be written only by `append` with a hold that is current (same attempt, same
 *   worker, task not ended), and by the verbs here that say so. A stale hold MUST be refused with
 *   `attempt.stale`, even if its bearer is alive and well: two writers would make two truths.
 * - Every event MUST be allowed by the transition table before it is written; the views MUST change in the
 *   same transaction, by the projections in domain/.
 * - Positions MUST be handed out in commit order, so that a reader who has seen position n will never be
 *   given a smaller one later. Sequence numbers within a stream have no gaps.
 * - Limits are global: they MUST count the attempts of every process that shares the store.
 * - A verb MUST NOT block the event loop for longer than a frame (16 ms).
 * - A store MUST NOT decide who is dead: it is told (`interrupt`).
 */
export interface Store {
  /** Which store this is, for state files and for messages. */
  readonly id: string;

  /**
   * Writes down what was asked; all of the list or none. Numbers each task per agent, opens or continues
   * its session (one unfinished task per session), and sets the budget aside. One whose budget is only under way is
   * admitted. A child is in its parent's
   * stream (`child.started`) in the same transaction, and only while that parent is held; with a hold, only
   * while it is that hold. With a request, `claim` follows in the same transaction.
   */
  admit(admissions: readonly Admission[], hold?: Hold, claim?: ClaimRequest): Promise<AdmitAnswer>;

  /**
   * Takes the most urgent tasks that are due (priority, then age), each as a new attempt: `attempt.started` is in
   * the log before anything is launched. Slots that attempts want back come before new work. A task whose `writes` meet
   * those of another one that is held MUST wait, unless that one is above it (domain/write-lanes.ts).
   */
  claim(request: ClaimRequest): Promise<ClaimAnswer>;

  /**
   * Facts from the holder, and what it sets aside and gives back, in their order. Session events go to their session's
   * stream, in the same transaction. A reservation that does not fit is answered, and keeps nothing else from being
   * written. When the attempt ends, whatever is still reserved for a call counts as spent: it may have been made.
   *
   * `effect`: something is about to be done that a power cut must not hide, so this MUST be on the disk first.
   */
  append(hold: Hold, entries: readonly HeldEntry[], before?: "effect"): Promise<Appended>;

  /**
   * Back from waiting. False: no slot is free, and one is promised; ask again when the bell rings. True:
   * `attempt.resumed` is written.
   */
  regain(hold: Hold, maxConcurrent: number): Promise<boolean>;

  /** What somebody other than the holder asks. Decided by domain/commands.ts inside the transaction. */
  command(task: TaskId, command: TaskCommand): Promise<CommandAnswer>;

  /** This worker is dead: whatever it held is interrupted. Returns those tasks. */
  interrupt(worker: WorkerId, why: string): Promise<readonly TaskView[]>;

  /** Workers that hold something. */
  holders(): Promise<readonly Worker[]>;

  /** The one worker that was started for this store by itself, where there is one. It may be dead. */
  resident(): Promise<Worker | undefined>;

  /** Becomes it, if the place is still held by `instead` (or by nobody). False: somebody else was quicker. */
  moveIn(worker: Worker, instead: WorkerId | null): Promise<boolean>;

  /**
   * Gives the place up, unless there is something that this worker could claim. So no task is admitted in
   * the belief that somebody is there who has just left.
   */
  moveOut(request: ClaimRequest): Promise<boolean>;

  /** A backend was limited, or not to be reached. How long it is left alone is decided by domain/cool-downs.ts. */
  coolDown(limited: Limited): Promise<CoolDown>;
  /** Those that last. */
  coolDowns(): Promise<readonly CoolDown[]>;

  task(id: TaskId): Promise<TaskView | undefined>;
  tasks(query: TaskQuery): Promise<readonly TaskView[]>;
  /** By number, by the tail of an id, or the newest. At most a handful: more than one is ambiguous. */
  findTasks(ref: TaskRef): Promise<readonly TaskView[]>;
  /** One that has expired is still known, without what was said in it. */
  session(id: SessionId): Promise<SessionView | undefined>;
  /** Those that have not expired. */
  sessions(query: SessionQuery): Promise<readonly SessionView[]>;

  /**
   * Lets go of what was said in a session, for good but for the log. False: it is not there, something has happened in
   * it since, or it is in use: a task of it, or the tree that it belongs to, has not ended.
   */
  expireSession(session: SessionId, by: string, unusedSince: number): Promise<boolean>;

  /** What waits for somebody to look. Items change in the transaction of the event that they come from. */
  inbox(query: InboxQuery): Promise<readonly InboxItem[]>;
  inboxItem(id: InboxItemId): Promise<InboxItem | undefined>;

  /** Somebody has seen these. Returns those that nobody had seen before. It answers no question. */
  acknowledge(items: readonly InboxItemId[], by: string): Promise<readonly InboxItem[]>;

  /** The position of the last event; 0 while there is none. */
  head(): Promise<number>;

  /** Envelopes in order of position. An empty page means that there is nothing after the cursor yet. */
  read(query: ReadQuery): Promise<readonly Envelope[]>;

  /**
   * A bell: rung after every commit, also another process's. Readers read; who only wants to know where to look may
   * take its word for what was written here. It may ring too often, and with nothing to say; it MUST NOT stay silent.
   */
  subscribe(ring: Bell): Disposable;

  close(): Promise<void>;
}
