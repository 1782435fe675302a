// What waits for somebody to look at it: work that has ended, questions, and what agents have to say.
import * as z from "zod";
import { ApprovalId, InboxItemId, SessionId, TaskId } from "./id.ts";
import { TaskStatus } from "./task.ts";

/**
 * `ended`: a task that nobody waited for. `review`: an agent has judged another one's work. `message`: said by an agent
 * that ends with it. `approval` and `question`: a person's answer is wanted. `interjection`: one agent has told another
 * something. `interrupted`: its worker died, and a person says whether it goes on.
 */
export const InboxKind = z.enum(["ended", "review", "message", "approval", "question", "interjection", "interrupted"]);
export type InboxKind = z.infer<typeof InboxKind>;

export const InboxItem = z.strictObject({
  id: InboxItemId,
  kind: InboxKind,
  task: TaskId,
  root: TaskId,
  /** Its transcript is there. */
  session: SessionId,
  agent: z.string(),
  /** One line. */
  summary: z.string(),
  /** How the task was when this came. */
  status: TaskStatus,
  approval: ApprovalId.nullable(),
  /** Whether an answer is still wanted. Having read it is none. */
  isOpen: z.boolean(),
  at: z.int(),
  /** `null`: nobody has seen it yet. */
  read: z.strictObject({ at: z.int(), by: z.string() }).nullable(),
});
export type InboxItem = z.infer<typeof InboxItem>;

export const InboxEvent = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("item.acknowledged"),
    task: TaskId,
    items: z.array(InboxItemId).min(1),
    by: z.string(),
  }),
]);
export type InboxEvent = z.infer<typeof InboxEvent>;
