import type {
  Answer,
  ApprovalKind,
  CallId,
  Cost,
  Decision,
  Json,
  JsonObject,
  LivePart,
  ReservationId,
  SessionId,
  TaskEvent,
  TaskId,
  TaskView,
  WaitReason,
} from "../schema/index.ts";
import type { Settle, TurnStarted } from "./store.ts";
import type { ToolUse } from "./tool.ts";

/** Facts that a backend may report itself. Everything about a task's life is the engine's to say. */
export type WorkEvent = Extract<
  TaskEvent,
  {
    type:
      | "turn.started"
      | "turn.ended"
      | "instruction.added"
      | "model.replied"
      | "model.failed"
      | "history.compacted"
      | "results.shortened"
      | "message.said"
      | "tool.returned"
      | "tool.reported"
      | "note.taken";
  }
>;

/** What a backend may write itself. */
export type WorkEntry = WorkEvent | Settle;

export interface ToolCall extends ToolUse {
  readonly tool: string;
  readonly input: Json;
  /** The model's own name for the call, where there is one: so a resumed attempt knows what it has done. */
  readonly of?: string | undefined;
  /** The input does not fit the tool. Written down as refused, with this as the reason. */
  readonly problem?: string | undefined;
}

/** `call` names the permitted call in `tool.returned`. */
export type Permission =
  | { readonly kind: "allowed"; readonly call: CallId; readonly decision: Decision }
  | { readonly kind: "refused"; readonly call: CallId; readonly decision: Decision };

export interface Question {
  readonly kind: ApprovalKind;
  readonly title: string;
  /** Whole and exact: what is shown is what is meant. */
  readonly body: string;
  /** The rule that wants it asked, where one does. */
  readonly rule?: string | undefined;
  /** Rules that would let just this through, for good. */
  readonly grants?: readonly string[] | undefined;
}

export interface Delegation {
  readonly agent: string;
  readonly prompt: string;
  readonly inputs?: JsonObject | undefined;
  readonly background?: boolean | undefined;
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  /** Goes on with the session of an earlier child. */
  readonly session?: SessionId | undefined;
  /** The tool call that it is for, so that a resumed attempt finds its child again. */
  readonly call?: CallId | undefined;
}

/** A refused delegation is an answer that the agent can act on, not an error. */
export type Delegated =
  | { readonly kind: "started"; readonly child: TaskId }
  | { readonly kind: "refused"; readonly message: string };

export interface ReserveHow {
  /** The turn that begins with this call, and not without it. */
  readonly begins?: TurnStarted | undefined;
  /** What was held back for this call, and is settled with it, and not without it. */
  readonly insteadOf?: ReservationId | undefined;
  /**
   * Where only what others of the tree have under way is in the way, it is waited for, until then. They wait for this one,
   * too: between a reservation and its settlement there MUST be nothing but the call.
   */
  readonly waitUntil?: AbortSignal | undefined;
}

export interface HeldAmount {
  readonly reservation: ReservationId;
  readonly amount: Cost;
}

export interface Heard {
  readonly text: string;
  readonly by: string;
}

/**
 * Whether an attempt's time limit stands still while it waits. It goes on where a program has asked: only that program
 * knows whether it does nothing else meanwhile.
 */
export type WaitClock = "stops" | "goes on";

/** What a strand does when its wait is over: it goes on, or it ends with what it has waited for. */
export type AfterWait = "goes on" | "result";

/**
 * All that a backend, or our own loop, gets from the engine for one attempt. There is no other way to say
 * or to ask anything.
 *
 * - Every promise here that writes resolves when the fact is durable. So the intention is written first:
 *   `permit` has `tool.called` in the log before the caller runs the tool.
 * - Once `signal` is aborted, whatever waits here rejects with the signal's reason, and the backend MUST
 *   wind up: it has `stopGraceMs`, then it is ended, and nothing that it says later is taken.
 * - Strands: calls that go on at the same time MUST be run through `together`. An attempt gives its slot
 *   back when all of its strands wait, and only then: one that still computes still counts.
 */
export interface AttemptScope {
  readonly signal: AbortSignal;
  /** Aborted when the time is up, a little before `signal`: what is left is for saying how far it came. */
  readonly timeUp: AbortSignal;

  /** What the log holds of this task, oldest first, where this is not its first attempt; nothing where it is. */
  past(): Promise<readonly TaskEvent[]>;

  /** Everything that is said here goes through it; whoever puts text before a model does that first. */
  redact<T>(value: T): T;

  /** With no entries: what was said `soon` until now. */
  append(...entries: readonly WorkEntry[]): Promise<void>;

  /**
   * In the log with whatever this attempt writes next, and not before. For what is followed at once by a call that is
   * written down: a reservation, a permission, the attempt's end. Nothing that takes time may come between.
   */
  soon(...entries: readonly WorkEntry[]): void;

  /** Shown while it happens, kept nowhere. */
  live(part: LivePart): void;

  /** The policy's word on a tool call, after asking a person where the policy says so. */
  permit(call: ToolCall): Promise<Permission>;

  /**
   * A question to a person. Where nobody can be asked, or nobody answers in time, the answer is a denial. `result`: it is
   * that of a call, and in the log with it, so that it is lost with neither.
   */
  ask(question: Question, after?: AfterWait): Promise<Answer>;

  /**
   * Before a call that costs; it is settled by an entry. False: nothing was set aside. A call that does not fit the budget
   * MUST NOT be made.
   */
  reserve(amount: Cost, how?: ReserveHow): Promise<ReservationId | false>;

  /**
   * Kept for a call that may come later, which is reserved instead of it: of each unit at most `share` of what is left, so
   * that what is kept never takes the place of what it is kept for. It stays with the task over a restart: whoever holds
   * back again is given the same. `unlimited`: nothing can run out, so nothing was set aside. It is written, and answered, with
   * what is said next: whoever waits for the answer MUST write first.
   */
  holdBack(amount: Cost, share: number): Promise<HeldAmount | "unlimited" | "nothing left">;

  delegate(request: Delegation): Promise<Delegated>;
  /** A task below this one, as it is now; undefined where there is none of that id here. */
  child(id: TaskId): Promise<TaskView | undefined>;
  /** The child that this tool call has started, where it did. */
  childFor(call: CallId): Promise<TaskView | undefined>;
  /**
   * Until the child has ended, however long that takes; with `waitMs`, or as it is by then, or when the time is up.
   * `result`: this is all that the strand still has to say. It ends with it at once, and needs no slot for that.
   */
  outcomeOf(child: TaskId, waitMs?: number, after?: AfterWait): Promise<TaskView>;
  /** As `outcomeOf`, but not for ever: also as it is once it was interrupted, and goes on only when a person says so. */
  atRest(child: TaskId): Promise<TaskView>;
  stopChild(child: TaskId): Promise<TaskView>;
  /** Children that have ended and that nobody has asked about yet: each is given once, also over a restart. */
  endedChildren(): Promise<readonly TaskView[]>;
  unfinishedChildren(): Promise<readonly TaskView[]>;

  /** Messages that were sent to the task and not given to the agent before. */
  hear(): Promise<readonly Heard[]>;
  /** Until there is one. */
  hearNext(): Promise<Heard>;

  /** A pause that was asked for, in which the time limit stands still. With `until`, a delay: it goes on, and ends then. */
  sleep(ms: number, until?: AbortSignal): Promise<void>;

  /**
   * Runs strands at once, and waits for all. The first that fails fails the whole, after all have ended. What a strand
   * said `soon` is in the log when it has ended; of the last, what comes next takes it along.
   */
  together<T>(strands: readonly (() => Promise<T>)[]): Promise<T[]>;

  /** Any other wait: the slot is given back while `work` lasts. */
  wait<T>(on: WaitReason, work: (signal: AbortSignal) => Promise<T>, clock?: WaitClock): Promise<T>;
}
