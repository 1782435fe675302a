import type { Attempt, AttemptScope, ToolSet } from "../../ports/index.ts";
import type { CallId, Exit, Json } from "../../schema/index.ts";

/** What an agent has said by an exit. */
export interface Finished {
  readonly answer: string;
  readonly output: Json | undefined;
  readonly exit: Exit | undefined;
}

export interface ToolsOfCadre extends ToolSet {
  /** Those that it may delegate to. */
  readonly agents: readonly { readonly name: string; readonly description: string }[];
}

/**
 * What of Cadre's own tools an agent has whose loop is not ours: its exits, and what it delegates with. Undefined: there
 * is nothing of that in its definition. `finish` is called when an exit was called as it should be.
 */
export type OwnToolsFor = (
  attempt: Attempt,
  scope: AttemptScope,
  finish: (finished: Finished, call: CallId) => void,
) => Promise<ToolsOfCadre | undefined>;
