// Ids: a prefix that says what it names, then a sortable time and randomness. Foreign task ids (from a
// dropped state file) are kept as they are, so the form is a safe alphabet, not our own layout.
import * as z from "zod";

const id = <Prefix extends string>(prefix: Prefix) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[A-Za-z0-9-]{1,64}$`), `must look like ${prefix}_… (letters, digits and "-" only)`)
    .brand<Prefix>();

export const TaskId = id("task");
export type TaskId = z.infer<typeof TaskId>;

export const SessionId = id("sess");
export type SessionId = z.infer<typeof SessionId>;

export const ApprovalId = id("appr");
export type ApprovalId = z.infer<typeof ApprovalId>;

export const WorkerId = id("work");
export type WorkerId = z.infer<typeof WorkerId>;

export const ReservationId = id("rsrv");
export type ReservationId = z.infer<typeof ReservationId>;

export const CallId = id("call");
export type CallId = z.infer<typeof CallId>;

/** Its rest is the position of the event that it came with. */
export const InboxItemId = id("item");
export type InboxItemId = z.infer<typeof InboxItemId>;

/** What each prefix names. */
export interface IdOf {
  task: TaskId;
  sess: SessionId;
  appr: ApprovalId;
  work: WorkerId;
  rsrv: ReservationId;
  call: CallId;
  item: InboxItemId;
}

/** A text that was made to be an id of this kind. The brand is the prefix: nothing else could be asserted of it. */
export const brandId = <Prefix extends keyof IdOf>(prefix: Prefix, rest: string): IdOf[Prefix] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where an id is made
  `${prefix}_${rest}` as IdOf[Prefix];
