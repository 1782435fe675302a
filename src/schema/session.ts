// A conversation that can outlive an attempt and be resumed. It has a parent and children.
import * as z from "zod";
import { SessionId, TaskId } from "./id.ts";

/** What a child leaves in its parent's session: a short summary, never its transcript. */
export const Breadcrumb = z.strictObject({
  task: TaskId,
  session: SessionId,
  agent: z.string(),
  status: z.enum(["completed", "failed", "cancelled"]),
  summary: z.string(),
});
export type Breadcrumb = z.infer<typeof Breadcrumb>;

export const SessionMessage = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  task: TaskId,
});
export type SessionMessage = z.infer<typeof SessionMessage>;

export const SessionEvent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("session.opened"),
    session: SessionId,
    agent: z.string(),
    parent: SessionId.nullable(),
    task: TaskId,
    /** It begins with what was said there. */
    forkOf: SessionId.optional(),
  }),
  z.strictObject({ type: z.literal("session.continued"), session: SessionId, task: TaskId }),
  z.strictObject({ type: z.literal("message.kept"), session: SessionId, message: SessionMessage }),
  z.strictObject({ type: z.literal("breadcrumb.left"), session: SessionId, breadcrumb: Breadcrumb }),
  /** What was said in it is gone from the view and from its file. The log keeps it. */
  z.strictObject({ type: z.literal("session.expired"), session: SessionId, by: z.string() }),
]);
export type SessionEvent = z.infer<typeof SessionEvent>;

export const SessionView = z.strictObject({
  id: SessionId,
  agent: z.string(),
  parent: SessionId.nullable(),
  forkOf: SessionId.nullable(),
  children: z.array(SessionId),
  tasks: z.array(TaskId),
  messages: z.array(SessionMessage),
  breadcrumbs: z.array(Breadcrumb),
  openedAt: z.int(),
  updatedAt: z.int(),
  expiredAt: z.int().nullable(),
});
export type SessionView = z.infer<typeof SessionView>;
