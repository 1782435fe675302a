// What a task is: what was asked, as it was admitted, and how it can end.
import * as z from "zod";
import { AgentDefinition, BackendName, WorkspaceBinding } from "./agent.ts";
import { Budget, Cost } from "./amount.ts";
import { Askable } from "./approval.ts";
import { CallId, ReservationId, SessionId, TaskId } from "./id.ts";
import { Json, JsonObject } from "./json.ts";
import { Policy } from "./policy.ts";
import { Writes } from "./workspace.ts";

export const TaskStatus = z.enum(["pending", "running", "waiting", "completed", "failed", "cancelled", "interrupted"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

export const FailReason = z.enum([
  "timeout",
  "max_turns",
  "budget",
  "no_completion",
  "invalid_output",
  "gate_failed",
  "refused",
  "backend_unavailable",
  "backend_error",
  "crashed",
  "rate_limited",
]);
export type FailReason = z.infer<typeof FailReason>;

/** `manual` tasks stay pending until a person says `cadre work`; `auto` ones are claimed by any worker. */
export const Dispatch = z.enum(["auto", "manual"]);
export type Dispatch = z.infer<typeof Dispatch>;

/** Hard limits: reaching one stops the attempt, it does not warn. */
export const Limits = z.strictObject({
  timeoutMs: z.int().positive(),
  maxTurns: z.int().positive(),
  maxOutputKb: z.int().positive(),
  budget: Budget,
});
export type Limits = z.infer<typeof Limits>;

/** A variable whose value is needed, known by its hash: never by its value. */
export const Need = z.strictObject({ name: z.string(), sha256: z.string() });
export type Need = z.infer<typeof Need>;

/** A person, or an agent whose attempt asked for this. */
export const Origin = z.strictObject({ mouth: z.string(), by: z.string() });
export type Origin = z.infer<typeof Origin>;

/**
 * Everything that was decided at admission. The definition is kept whole: editing the agent's file later
 * changes nothing about a task that was admitted before.
 */
export const TaskSpec = z.strictObject({
  definition: AgentDefinition,
  prompt: z.string().min(1),
  inputs: JsonObject,
  /** The agent's own prompt with its inputs filled in. */
  instructions: z.string(),
  session: SessionId,
  parent: TaskId.nullable(),
  /** The parent's tool call that asked for it, where one did. */
  call: CallId.nullable(),
  root: TaskId,
  depth: z.int().nonnegative(),
  background: z.boolean(),
  dispatch: Dispatch,
  priority: z.int(),
  notBefore: z.int().nullable(),
  /** In order of preference. The first is tried first. */
  backends: z.array(BackendName).min(1),
  /** What a worker must have in its environment to run it on the first of them. */
  needs: z.array(Need),
  policy: Policy,
  workspace: WorkspaceBinding,
  /** Whose tree it works in, where that is not its own session's: of the one above it, which shares it. */
  worksIn: SessionId.optional(),
  /** Absent: nowhere that others may write too. */
  writes: Writes.optional(),
  /** What the agent's own loop is to call; `null` where nothing names one. */
  model: z.string().nullable(),
  limits: Limits,
  askable: Askable,
  origin: Origin,
});
export type TaskSpec = z.infer<typeof TaskSpec>;

/** What is set aside at admission for a backend that cannot say what a single call costs. */
export const Reserved = z.strictObject({ id: ReservationId, amount: Cost });
export type Reserved = z.infer<typeof Reserved>;

/**
 * How much a result is worth. `claimed`: the agent said so. `checked`: schema and gates passed.
 * `verified`: gates passed that Cadre ran on inputs which the agent could not change.
 */
export const Evidence = z.enum(["claimed", "checked", "verified"]);
export type Evidence = z.infer<typeof Evidence>;

/** How a stopped attempt went: it was never started, it ended when asked, or it had to be ended. */
export const StopHow = z.enum(["unstarted", "cooperative", "forced"]);
export type StopHow = z.infer<typeof StopHow>;

export const Outcome = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("completed"),
    answer: z.string(),
    output: Json.nullable(),
    evidence: Evidence,
    // A run that was only saved by its grace turn never looks like a clean success.
    recovered: z.strictObject({ limit: FailReason }).nullable(),
    truncated: z.boolean(),
  }),
  z.strictObject({
    status: z.literal("failed"),
    reason: FailReason,
    message: z.string(),
    /** The last that the agent said, where there is any: work that failed is not thrown away. */
    answer: z.string().nullable(),
  }),
  z.strictObject({
    status: z.literal("cancelled"),
    by: z.string(),
    how: StopHow,
    answer: z.string().nullable(),
  }),
]);
export type Outcome = z.infer<typeof Outcome>;
