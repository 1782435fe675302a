// An approval: a durable question to a person, and its answer.
import * as z from "zod";
import { ApprovalId } from "./id.ts";

/** Who can be asked is fixed when the task is admitted. */
export const Askable = z.enum(["terminal", "host", "inbox", "nobody"]);
export type Askable = z.infer<typeof Askable>;

export const ApprovalKind = z.enum(["tool", "spawn", "question"]);
export type ApprovalKind = z.infer<typeof ApprovalKind>;

export const Answer = z.discriminatedUnion("verdict", [
  // `task`: the same rule is not asked again in this task. `always`: nor in any other, by a rule of the user's.
  z.strictObject({ verdict: z.literal("allow"), scope: z.enum(["once", "task", "always"]) }),
  z.strictObject({ verdict: z.literal("deny"), note: z.string().optional() }),
  z.strictObject({ verdict: z.literal("text"), text: z.string() }),
]);
export type Answer = z.infer<typeof Answer>;

export const Approval = z.strictObject({
  id: ApprovalId,
  kind: ApprovalKind,
  title: z.string(),
  /** The exact bytes that will run or that are asked, whole, with their hash: what was shown is what is meant. */
  body: z.string(),
  sha256: z.string(),
  /** The rule that wants it asked: "for this task" allows whatever it covers. */
  rule: z.string().nullable(),
  /** The user's rules that "always" stands for: they let just this through. None: it cannot be allowed for good. */
  grants: z.array(z.string()).default([]),
  expiresAt: z.int().nullable(),
});
export type Approval = z.infer<typeof Approval>;

/** `answered`: a person has said it; `applied`: the attempt has read it and gone on. */
export const ApprovalState = z.enum(["open", "answered", "applied", "expired"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

export const ApprovalView = Approval.extend({
  state: ApprovalState,
  answer: Answer.nullable(),
  by: z.string().nullable(),
  askedAt: z.int(),
});
export type ApprovalView = z.infer<typeof ApprovalView>;
