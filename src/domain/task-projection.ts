// A task's events, folded to the view of it. Stores call this in the transaction that writes the event.
import { corruptLog } from "../errors/index.ts";
import type {
  ApprovalView,
  AttemptView,
  ControlEvent,
  Envelope,
  ModelUsage,
  TaskEvent,
  TaskId,
  TaskView,
} from "../schema/index.ts";
import { NO_USAGE, NOTHING } from "../schema/nothing.ts";
import { addAmounts } from "./budgets.ts";
import { oneLine, UNHEARD_MOST } from "./summaries.ts";
import { isHeld, nextStatus } from "./transitions.ts";

type Admitted = Extract<TaskEvent, { type: "task.admitted" }>;
type Changes = Partial<TaskView>;

/** Of each message that is not heard yet: the log has the whole. */
const UNHEARD_MAX = 200;

/** Where an event stands, which some changes need. */
interface Place {
  readonly at: number;
  readonly position: number;
  readonly attempt: number | null;
}

export function admitTask(id: TaskId, event: Admitted, place: Place): TaskView {
  return {
    id,
    number: event.number,
    status: nextStatus("none", event),
    spec: event.spec,
    backend: event.spec.backends[0] ?? "none",
    holder: null,
    waitingOn: null,
    stopRequestedBy: null,
    attempts: [],
    turns: 0,
    graceTurns: 0,
    calls: { made: 0, refused: 0 },
    spent: NOTHING,
    bound: NOTHING,
    isCostKnown: true,
    areTokensKnown: true,
    usage: NO_USAGE,
    models: [],
    reserved: event.reserved,
    approvals: [],
    children: [],
    lastSaid: null,
    kept: null,
    outcome: null,
    interruption: null,
    heardThrough: 0,
    unheard: [],
    createdAt: place.at,
    startedAt: null,
    endedAt: null,
    updatedAt: place.at,
    firstPosition: place.position,
    position: place.position,
  };
}

/** The view after one more event of the task's own stream. */
export function applyTaskEvent(view: TaskView, event: TaskEvent, place: Place): TaskView {
  const status = nextStatus(view.status, event);
  return {
    ...view,
    ...changes(view, event, place),
    status,
    holder: isHeld(status) ? (event.type === "attempt.started" ? event.worker.id : view.holder) : null,
    updatedAt: place.at,
    position: place.position,
  };
}

/** The view after one more event of the task's control stream: what was asked shows before it is done. */
export function applyControlEvent(view: TaskView, event: ControlEvent, place: Place): TaskView {
  const seen = { ...view, updatedAt: place.at, position: place.position };
  switch (event.type) {
    case "stop.requested":
      return { ...seen, stopRequestedBy: event.by };
    case "answer.given":
      return {
        ...seen,
        approvals: changeApproval(view, event.approval, { state: "answered", answer: event.answer, by: event.by }),
      };
    case "message.sent": {
      const message = { control: place.position, by: event.by, text: oneLine(event.text, UNHEARD_MAX) };
      return { ...seen, unheard: [...view.unheard, message].slice(-UNHEARD_MOST) };
    }
    case "workspace.merged":
    case "workspace.discarded":
      return seen;
  }
}

function changes(view: TaskView, event: TaskEvent, place: Place): Changes {
  switch (event.type) {
    case "task.admitted":
      throw corruptLog(`${view.id} was admitted twice`);
    case "attempt.started":
      return {
        startedAt: view.startedAt ?? place.at,
        backend: event.backend,
        interruption: null,
        attempts: [...view.attempts, newAttempt(event, place)],
      };
    case "attempt.suspended":
      return { waitingOn: event.on };
    case "attempt.resumed":
      return { waitingOn: null };
    case "attempt.prepared":
      return {
        attempts: changeAttempt(view, {
          workspace: event.workspace,
          confinement: event.confinement,
          custody: event.custody,
        }),
      };
    case "workspace.kept":
      return { kept: event.kept };
    case "attempt.ended":
      return { attempts: changeAttempt(view, { endedAt: place.at, end: event.end, reason: event.reason }) };
    case "task.requeued":
      return {
        backend: event.backend,
        waitingOn: null,
        outcome: null,
        endedAt: null,
        interruption: null,
        // A worker that tries again by itself has not seen a stop that came meanwhile: it stays asked for. What it has asked
        // itself, nobody waits for any more.
        ...(view.status === "running" ? { approvals: closeApprovals(view) } : { stopRequestedBy: null }),
      };
    case "task.interrupted":
      return {
        interruption: event.why,
        waitingOn: null,
        attempts:
          view.attempts.at(-1)?.end === null
            ? changeAttempt(view, { endedAt: place.at, end: "interrupted" })
            : view.attempts,
      };
    case "task.ended":
      return {
        outcome: event.outcome,
        waitingOn: null,
        endedAt: place.at,
        reserved: null,
        interruption: null,
        approvals: closeApprovals(view),
      };
    case "turn.started":
      return event.isGrace === true ? { graceTurns: view.graceTurns + 1 } : { turns: view.turns + 1 };
    case "model.replied":
      return {
        isCostKnown: view.isCostKnown && event.microUsd !== null,
        models: view.models.includes(event.model) ? view.models : [...view.models, event.model],
        usage: event.usage === null ? view.usage : addUsage(view.usage, event.usage),
      };
    case "message.said":
      return { lastSaid: event.text };
    case "message.received":
      return { heardThrough: event.control, unheard: view.unheard.filter(({ control }) => control > event.control) };
    case "tool.called":
    case "tool.reported":
      return { calls: { ...view.calls, made: view.calls.made + 1 } };
    case "tool.refused":
      return { calls: { ...view.calls, refused: view.calls.refused + 1 } };
    case "approval.asked":
      return {
        approvals: [...view.approvals, { ...event.approval, state: "open", answer: null, by: null, askedAt: place.at }],
      };
    case "approval.answered":
      return {
        approvals: changeApproval(view, event.approval, { state: "applied", answer: event.answer, by: event.by }),
      };
    case "approval.expired": {
      // An answer that was taken before it stands: whoever gave it was told so.
      const isOpen = view.approvals.some(({ id, state }) => id === event.approval && state === "open");
      return isOpen ? { approvals: changeApproval(view, event.approval, { state: "expired" }) } : {};
    }
    case "child.started":
      return { children: [...view.children, event.child] };
    case "budget.settled":
      return {
        spent: addAmounts(view.spent, event.spent),
        bound: event.isBound === true ? addAmounts(view.bound, event.spent) : view.bound,
        isCostKnown: view.isCostKnown && event.spent.microUsd !== null,
        areTokensKnown: view.areTokensKnown && (event.spent.tokens > 0 || event.spent.microUsd === 0),
        usage: event.usage === undefined ? view.usage : addUsage(view.usage, event.usage),
        reserved: view.reserved?.id === event.reservation ? null : view.reserved,
      };
    case "turn.ended":
    case "instruction.added":
    case "model.failed":
    case "history.compacted":
    case "results.shortened":
    case "tool.returned":
    case "child.ended":
    case "budget.reserved":
    case "gate.checked":
    case "host.refused":
    case "note.taken":
      return {};
  }
}

const addUsage = (a: ModelUsage, b: ModelUsage): ModelUsage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
});

function newAttempt(event: Extract<TaskEvent, { type: "attempt.started" }>, place: Place): AttemptView {
  if (place.attempt === null) throw corruptLog("an attempt started without a number");
  return {
    attempt: place.attempt,
    backend: event.backend,
    worker: event.worker.id,
    tokenSha256: event.tokenSha256,
    startedAt: place.at,
    endedAt: null,
    end: null,
    reason: null,
    workspace: null,
    confinement: null,
    custody: null,
  };
}

const changeAttempt = (view: TaskView, change: Partial<AttemptView>): AttemptView[] =>
  view.attempts.map((attempt, index) => (index === view.attempts.length - 1 ? { ...attempt, ...change } : attempt));

const changeApproval = (view: TaskView, id: string, change: Partial<ApprovalView>): ApprovalView[] =>
  view.approvals.map((approval) => (approval.id === id ? { ...approval, ...change } : approval));

/** Nobody waits for these any more, and an answer that was not heard lets nothing through that is tried later. */
const closeApprovals = (view: TaskView): ApprovalView[] =>
  view.approvals.map((approval) => (approval.state === "applied" ? approval : { ...approval, state: "expired" }));

/** The view after one more event of either stream, as a store has kept it. */
export const applyKept = (view: TaskView, { stream, event, ...place }: Envelope): TaskView =>
  stream.startsWith("control:")
    ? // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a store lets only such events into that stream
      applyControlEvent(view, event as ControlEvent, place)
    : // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same
      applyTaskEvent(view, event as TaskEvent, place);
