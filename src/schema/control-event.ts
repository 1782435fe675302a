// What others have asked of a task while a worker holds it, and what they did with what it left. Only that worker
// writes the task's own stream; everybody else writes here, and the worker reads it.
import * as z from "zod";
import { Answer } from "./approval.ts";
import { ApprovalId, TaskId } from "./id.ts";

export const ControlEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("stop.requested"), task: TaskId, by: z.string() }),
  z.strictObject({
    type: z.literal("answer.given"),
    task: TaskId,
    approval: ApprovalId,
    answer: Answer,
    by: z.string(),
  }),
  z.strictObject({ type: z.literal("message.sent"), task: TaskId, text: z.string().min(1), by: z.string() }),
  /** What is kept in the task's tree was brought into the project. */
  z.strictObject({
    type: z.literal("workspace.merged"),
    task: TaskId,
    /** `null`: the changes are in the project's files, and nobody has committed them. */
    commit: z.string().nullable(),
    /** The branch that they are on. */
    into: z.string().nullable(),
    by: z.string(),
  }),
  /** It was thrown away. */
  z.strictObject({ type: z.literal("workspace.discarded"), task: TaskId, by: z.string() }),
]);
export type ControlEvent = z.infer<typeof ControlEvent>;
