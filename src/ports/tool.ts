import type { Effect, Json } from "../schema/index.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { Confined } from "./confinement.ts";
import type { PreparedWorkspace } from "./workspace.ts";

export interface ToolContext {
  readonly scope: AttemptScope;
  readonly workspace: PreparedWorkspace;
  readonly confinement: Confined;
}

export interface ToolResult {
  readonly ok: boolean;
  /** What the model reads. An error says what was wrong and what to do instead. */
  readonly text: string;
}

/**
 * Something that an agent of our own loop can call.
 *
 * - `effect` MUST be the widest that any input can have: the policy decides by it.
 * - `run` is called only after `scope.permit`. It MUST validate its input itself, MUST NOT throw for bad
 *   input or failing work (that is a result with `ok: false`), and MUST stop when the scope's signal says so.
 * - Output is capped by the caller, not here.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: Json;
  /** What the policy looks at, from an input that was not validated yet. */
  target(input: Json): { readonly path?: string; readonly host?: string };
  run(input: Json, context: ToolContext): Promise<ToolResult>;
}
