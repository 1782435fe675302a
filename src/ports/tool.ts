import type { CallId, Effect, Json, JsonObject } from "../schema/index.ts";
import type { AttemptScope } from "./attempt-scope.ts";
import type { Attempt } from "./backend.ts";
import type { RegisteredAgent } from "./registry.ts";

/** One call as the policy sees it. */
export interface ToolUse {
  /** No wider than the tool's own. */
  readonly effect: Effect;
  /** The file or folder that is read or written: relative to the workspace, or absolute where it lies outside. */
  readonly path?: string | undefined;
  /** A program searches below the path by itself: what rules close there cannot be left out of what it shows. */
  readonly showsAllBelow?: boolean | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** The agent that is called. */
  readonly agent?: string | undefined;
  /** Every simple command that a shell would run, as it would be typed; null where that is not fully understood. */
  readonly commands?: readonly string[] | null | undefined;
  /**
   * What may be run beside that, as far as it is known: see `domain/partly-known.ts`. For rules that stop something. Where
   * `commands` is null, it is all that may be run.
   */
  readonly mayRun?: readonly string[] | undefined;
  /** Nothing in it can change anything: only where that is proven. */
  readonly isReadOnly?: boolean | undefined;
  /** Why that is not proven although it looks like it, and what would be. For a model. */
  readonly unproven?: string | undefined;
  /** It does something that lasts, although its effect does not say so: on the disk before it is done. */
  readonly leavesTraces?: boolean | undefined;
}

export type ToolPlan =
  | { readonly ok: true; readonly use: ToolUse }
  /** The input is not what the tool takes: what is wrong, and what would be right, for a model. */
  | { readonly ok: false; readonly problem: string };

export interface ToolResult {
  readonly ok: boolean;
  /** What the model reads. An error says what was wrong and what to do instead. */
  readonly text: string;
  /** What of the result the tool itself did not keep: then the text is not all of it. */
  readonly leftOut?: string | undefined;
}

/**
 * Something that an agent of our own loop can call.
 *
 * - `effect` MUST be the widest that any input can have.
 * - `plan` MUST validate its input strictly, MUST NOT do anything, and MUST NOT throw.
 * - `run` is called only after the policy has allowed what `plan` said, with the same input. It MUST NOT throw for
 *   failing work (that is a result with `ok: false`), MUST stop when the scope's signal says so, and MUST bound
 *   what it reads and keeps. What is too long for a model is cut by the caller, not here.
 */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly effect: Effect;
  readonly inputSchema: JsonObject;
  plan(input: Json): ToolPlan;
  run(input: Json, call: CallId): Promise<ToolResult>;
  /**
   * A worker died while this call was under way. Where the tool can find out how it went without doing anything
   * twice, it says so; undefined: nobody knows.
   */
  reattach?(input: Json, call: CallId): Promise<ToolResult | undefined>;
}

/** The tools of one attempt. What one of them keeps (a folder, a program in the background) ends with it. */
export interface ToolSet extends AsyncDisposable {
  readonly tools: readonly Tool[];
  /** What the agent cannot do without is not there: the attempt fails, with this as its reason. */
  readonly missing?: string | undefined;
  /** Where its tools start agents: all that there are, so that whoever tells of them need not look again. */
  readonly agentsFound?: readonly RegisteredAgent[] | undefined;
}

/** Makes them. Several may be joined; a name that is taken is not given twice. */
export type Toolbox = (attempt: Attempt, scope: AttemptScope) => Promise<ToolSet>;
