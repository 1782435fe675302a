// A task as surfaces show it and as the engine decides on it: derived from its events, never edited.
import * as z from "zod";
import { BackendName } from "./agent.ts";
import { Amount } from "./amount.ts";
import { ApprovalView } from "./approval.ts";
import { AttemptView, WaitReason } from "./attempt.ts";
import { TaskId, WorkerId } from "./id.ts";
import { ModelUsage } from "./model.ts";
import { Outcome, Reserved, TaskSpec, TaskStatus } from "./task.ts";
import { WorkspaceKept } from "./workspace.ts";

export const TaskView = z.strictObject({
  id: TaskId,
  /** The n-th task of its agent: `oracle#4`. */
  number: z.int().positive(),
  status: TaskStatus,
  spec: TaskSpec,
  /** The backend of the current attempt, or of the next one. */
  backend: BackendName,
  /** Who holds the task now. Nobody, unless it is running or waiting. */
  holder: WorkerId.nullable(),
  waitingOn: WaitReason.nullable(),
  stopRequestedBy: z.string().nullable(),
  attempts: z.array(AttemptView),
  turns: z.int().nonnegative(),
  /** Beside them: those for its last words, which no limit counts. */
  graceTurns: z.int().nonnegative(),
  calls: z.strictObject({ made: z.int().nonnegative(), refused: z.int().nonnegative() }),
  /** This task's own, without its children's. */
  spent: Amount,
  /** So much of `spent` is only a bound: calls that were cut off, of which nobody has said what they used. */
  bound: Amount,
  /** False once a call was made whose price nobody knows: then `spent` is less than it cost. */
  isCostKnown: z.boolean(),
  /** False once something was spent of which nobody has counted the tokens: then `spent` has fewer than it took. */
  areTokensKnown: z.boolean(),
  /** As providers have said it, of all calls together. */
  usage: ModelUsage,
  /** Those that have answered, each once. */
  models: z.array(z.string()),
  reserved: Reserved.nullable(),
  approvals: z.array(ApprovalView),
  children: z.array(TaskId),
  lastSaid: z.string().nullable(),
  /** Work that it left in a tree of its own. */
  kept: WorkspaceKept.nullable(),
  outcome: Outcome.nullable(),
  /** Why it is interrupted, while it is. */
  interruption: z.string().nullable(),
  /** Messages up to this place in the log were given to the agent. */
  heardThrough: z.int().nonnegative(),
  /** Messages that were taken for it and that its agent has not heard, in short. Once it has ended they came too late. */
  unheard: z.array(z.strictObject({ control: z.int().positive(), by: z.string(), text: z.string() })),
  createdAt: z.int(),
  startedAt: z.int().nullable(),
  endedAt: z.int().nullable(),
  updatedAt: z.int(),
  /** Place of its first event: `tail` from before it shows everything. */
  firstPosition: z.int().positive(),
  /** Place of the last event that is in this view: `tail` from here misses nothing. */
  position: z.int().positive(),
});
export type TaskView = z.infer<typeof TaskView>;
