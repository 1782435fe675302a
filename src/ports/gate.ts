import type { Json, TaskView } from "../schema/index.ts";
import type { PreparedWorkspace } from "./workspace.ts";

export interface Claim {
  readonly answer: string;
  readonly output: Json | undefined;
}

export type GateVerdict =
  | {
      readonly passed: true;
      /** Whether Cadre ran it on inputs that the agent could not change: only then is a result verified. */
      readonly independent: boolean;
    }
  | { readonly passed: false; readonly reason: "invalid_output" | "gate_failed"; readonly feedback: string };

/**
 * What must hold before a task may be completed.
 *
 * - `feedback` goes back to the agent: it MUST say what is wrong and what would be right.
 * - A gate that cannot be run has not passed.
 */
export interface Gate {
  readonly name: string;
  appliesTo(task: TaskView): boolean;
  check(task: TaskView, claim: Claim, workspace: PreparedWorkspace): Promise<GateVerdict>;
}
