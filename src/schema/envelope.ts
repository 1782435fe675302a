// An event as it stands in the log: which stream, which place in it, which place among all.
import * as z from "zod";
import { ControlEvent } from "./control-event.ts";
import { InboxEvent } from "./inbox.ts";
import { SessionEvent } from "./session.ts";
import { TaskEvent } from "./task-event.ts";

/**
 * `task:<id>` is its worker's, `control:<id>` everybody else's, `session:<id>` a conversation's, and `inbox:<id>` says
 * who has seen what came of a task.
 */
export const StreamName = z.templateLiteral([z.enum(["task", "control", "session", "inbox"]), ":", z.string().min(1)]);
export type StreamName = z.infer<typeof StreamName>;

export const LogEvent = z.union([TaskEvent, ControlEvent, SessionEvent, InboxEvent]);
export type LogEvent = z.infer<typeof LogEvent>;

export const Envelope = z.strictObject({
  /** Place among all events, in commit order: a reader's cursor. */
  position: z.int().positive(),
  stream: StreamName,
  /** Place within the stream, without gaps. */
  seq: z.int().positive(),
  at: z.int(),
  /** The attempt whose worker wrote it, where one did. */
  attempt: z.int().positive().nullable(),
  event: LogEvent,
});
export type Envelope = z.infer<typeof Envelope>;
