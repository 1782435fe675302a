// One try at a task by one backend.
import * as z from "zod";
import { BackendName } from "./agent.ts";
import { WorkerId } from "./id.ts";
import { FailReason } from "./task.ts";

/** What an attempt waits for when it has given its slot back. */
export const WaitReason = z.enum(["child", "approval", "message", "timer", "budget"]);
export type WaitReason = z.infer<typeof WaitReason>;

/** How the policy is enforced, per surface: by the operating system, or only by our own checks. */
export const ConfinementLabel = z.strictObject({
  /** `files`: the operating system holds files, and not the network. */
  commands: z.enum(["os", "files", "policy"]),
  fileTools: z.literal("policy"),
  /** What bounds memory and processes: for all of an attempt, or for each process alone. Absent: nothing does. */
  limits: z.enum(["cgroup", "rlimit"]).optional(),
  /** What is missing here, in words, where commands are not held by the operating system or not by all of it. */
  note: z.string().optional(),
});
export type ConfinementLabel = z.infer<typeof ConfinementLabel>;

/** How surely nothing of an attempt outlives it. See the Custody port. */
export const CustodyTier = z.enum(["namespace", "tracked"]);
export type CustodyTier = z.infer<typeof CustodyTier>;

export const AttemptEndKind = z.enum(["completed", "failed", "cancelled", "interrupted"]);
export type AttemptEndKind = z.infer<typeof AttemptEndKind>;

export const AttemptView = z.strictObject({
  attempt: z.int().positive(),
  backend: BackendName,
  worker: WorkerId,
  /** Of the token that lets a nested call in as this attempt's child. The token itself is never stored. */
  tokenSha256: z.string(),
  startedAt: z.int(),
  endedAt: z.int().nullable(),
  end: AttemptEndKind.nullable(),
  reason: FailReason.nullable(),
  workspace: z.string().nullable(),
  confinement: ConfinementLabel.nullable(),
  /** `null`: this backend starts no processes. */
  custody: CustodyTier.nullable(),
});
export type AttemptView = z.infer<typeof AttemptView>;
