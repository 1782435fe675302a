// What can have happened to a task. Facts, in the past tense. A released shape never changes its meaning:
// new meaning is a new type, and test/golden-logs keeps a log of every shape that was ever released.
import * as z from "zod";
import { BackendName } from "./agent.ts";
import { Cost, ReservationUse } from "./amount.ts";
import { Answer, Approval } from "./approval.ts";
import { AttemptEndKind, ConfinementLabel, CustodyTier, WaitReason } from "./attempt.ts";
import { ApprovalId, CallId, ReservationId, TaskId } from "./id.ts";
import { Json } from "./json.ts";
import { ModelCall, ModelFault, ModelStop, ModelUsage } from "./model.ts";
import { Decision, Effect } from "./policy.ts";
import { FailReason, Outcome, Reserved, TaskSpec, TaskStatus } from "./task.ts";
import { Worker } from "./worker.ts";
import { WorkspaceKept } from "./workspace.ts";

const event = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

const Call = {
  call: CallId,
  tool: z.string(),
  effect: Effect,
  input: Json,
  /** The model's own name for the call, where a model made it. */
  of: z.string().nullable(),
};

export const TaskEvent = z.discriminatedUnion("type", [
  // The life of a task: each of these has a column in the transition table (domain/transitions.ts).
  event("task.admitted", { spec: TaskSpec, number: z.int().positive(), reserved: Reserved.nullable() }),
  event("attempt.started", { worker: Worker, backend: BackendName, tokenSha256: z.string() }),
  event("attempt.suspended", { on: WaitReason }),
  event("attempt.resumed", {}),
  event("task.requeued", { backend: BackendName, because: z.enum(["retry", "failover", "recovery"]), by: z.string() }),
  event("task.interrupted", { why: z.string() }),
  event("task.ended", { outcome: Outcome }),

  // What went on inside an attempt.
  event("attempt.prepared", {
    workspace: z.string(),
    confinement: ConfinementLabel,
    custody: CustodyTier.nullable(),
    /** Restrictions that this backend enforces more tightly than was asked. */
    narrowed: z.array(z.string()),
  }),
  /** All that the attempt left in a tree of its own is committed there. */
  event("workspace.kept", { kept: WorkspaceKept }),
  event("attempt.ended", { end: AttemptEndKind, reason: FailReason.nullable(), message: z.string().nullable() }),
  /** `isGrace`: for the last words, which no limit of turns counts. */
  event("turn.started", { turn: z.int().positive(), isGrace: z.boolean().optional() }),
  event("turn.ended", { turn: z.int().positive() }),
  /** What the agent was told beside its task: so a resumed attempt knows it too. */
  event("instruction.added", {
    because: z.enum(["task", "nudge", "grace", "gate", "limit", "news"]),
    text: z.string(),
  }),
  /** One call of a model that came back. Its text is the `message.said` before it. */
  event("model.replied", {
    turn: z.int().positive(),
    model: z.string(),
    calls: z.array(ModelCall),
    opaque: Json.nullable(),
    stop: ModelStop,
    /** `null`: the provider did not say. */
    usage: ModelUsage.nullable(),
    /** `null`: the price is not known. Where `usage` is `null`, it is the most that the call may have cost. */
    microUsd: z.int().nonnegative().nullable(),
  }),
  event("model.failed", {
    turn: z.int().positive(),
    model: z.string(),
    kind: ModelFault,
    message: z.string(),
    /** `null`: it is not tried again. */
    retryInMs: z.int().nonnegative().nullable(),
  }),
  /** Turns up to this one are put before the model as this summary from now on, and the plan as it stood then. */
  event("history.compacted", { through: z.int().positive(), summary: z.string(), plan: z.string().optional() }),
  /** These results of the last turn are put before the model so from now on: whole, they did not fit. */
  event("results.shortened", { results: z.array(z.strictObject({ call: CallId, output: z.string() })).min(1) }),
  event("message.said", { text: z.string() }),
  event("message.received", { text: z.string(), by: z.string(), control: z.int().positive() }),
  event("tool.called", { ...Call, decision: Decision }),
  event("tool.refused", { ...Call, decision: Decision }),
  event("tool.returned", { call: CallId, ok: z.boolean(), output: z.string(), truncated: z.boolean() }),
  /** A call that a backend's own tool has made: it was done when we heard of it. */
  event("tool.reported", {
    tool: z.string(),
    effect: Effect,
    input: Json,
    ok: z.boolean(),
    output: z.string(),
    truncated: z.boolean(),
  }),
  event("approval.asked", { approval: Approval }),
  event("approval.answered", { approval: ApprovalId, answer: Answer, by: z.string() }),
  event("approval.expired", { approval: ApprovalId }),
  event("child.started", { child: TaskId, agent: z.string(), background: z.boolean() }),
  event("child.ended", { child: TaskId, status: TaskStatus, summary: z.string() }),
  event("budget.reserved", { reservation: ReservationId, amount: Cost, use: ReservationUse }),
  event("budget.settled", {
    reservation: ReservationId,
    reserved: Cost,
    spent: Cost,
    /** Nobody has said what it was: `spent` is the most that it may be. */
    isBound: z.boolean().optional(),
    /** What a model's provider has said of a call that no reply tells of. */
    usage: ModelUsage.optional(),
    /** The call was beside the conversation, for a summary of it. */
    isAside: z.boolean().optional(),
  }),
  event("gate.checked", { gate: z.string(), passed: z.boolean(), feedback: z.string().nullable() }),
  /** A program wanted a connection that its attempt may not have. Once per host and port. */
  event("host.refused", { host: z.string(), port: z.int(), why: z.string() }),
  event("note.taken", { level: z.enum(["info", "warning"]), text: z.string() }),
]);
export type TaskEvent = z.infer<typeof TaskEvent>;
export type TaskEventType = TaskEvent["type"];
