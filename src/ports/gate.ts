import type { Exit, Json, TaskView } from "../schema/index.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { Attempt } from "./backend.ts";

export interface Claim {
  readonly answer: string;
  readonly output: Json | undefined;
  /** What the agent ended by, where that is known. */
  readonly exit?: Exit | undefined;
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
 * - A program that it starts is started like the agent's own: confined, and in the attempt's custody.
 */
export interface Gate {
  readonly name: string;
  check(attempt: Attempt, claim: Claim, scope: AttemptScope): Promise<GateVerdict>;
}

/** The gates of one task for what it claims, in the order in which they are asked. */
export type Gates = (task: TaskView, claim: Claim) => readonly Gate[];
