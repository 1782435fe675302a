// What somebody other than its worker may ask of a task, and how a person names a task.
import type { BackendName } from "./agent.ts";
import type { Answer, ApprovalState } from "./approval.ts";
import type { ApprovalId, SessionId, TaskId } from "./id.ts";
import type { TaskStatus } from "./task.ts";

export type TaskCommand =
  | { readonly type: "stop"; readonly by: string }
  | { readonly type: "answer"; readonly approval: ApprovalId; readonly answer: Answer; readonly by: string }
  | { readonly type: "send"; readonly text: string; readonly by: string }
  /** Of the work that it left in a tree of its own: this has been done. */
  | {
      readonly type: "merged";
      readonly commit: string | null;
      readonly into: string | null;
      readonly by: string;
    }
  | { readonly type: "discarded"; readonly by: string }
  | {
      readonly type: "requeue";
      readonly because: "retry" | "recovery";
      readonly backend?: BackendName | undefined;
      readonly by: string;
    };

export type CommandRefusal =
  | { readonly why: "state"; readonly status: TaskStatus }
  | { readonly why: "session-busy"; readonly session: SessionId; readonly task: TaskId }
  | { readonly why: "no-approval" }
  | { readonly why: "approval-closed"; readonly state: ApprovalState };

export type TaskRef =
  | { readonly kind: "last" }
  /** `oracle#4`; the agent's name as `agentKey` spells it. */
  | { readonly kind: "number"; readonly agent: string; readonly number: number }
  /** A whole id, or an unambiguous tail of one. */
  | { readonly kind: "id"; readonly text: string };
