import type { ContextPiece } from "../domain/envelopes.ts";
import type { Settings } from "../domain/limits.ts";
import type { Attempt, Clock, Mint, Model, Obstacle, Registry, Toolbox } from "../ports/index.ts";
import type { CallId, Json, JsonObject, TaskSpec } from "../schema/index.ts";

/** All that our own loop needs from outside. */
export interface LoopParts {
  /** The model that a task runs on. */
  readonly openModel: (spec: TaskSpec) => Promise<Model>;
  /** The variables that hold the secrets of a task's model, of those that are set. */
  readonly secretsFor: (spec: TaskSpec) => Promise<readonly string[]>;
  /** Asked when a task is admitted, and again when it is run: before anything is opened for it. */
  readonly obstacle: (spec: TaskSpec, isMoneyLimited: boolean) => Promise<Obstacle | null>;
  readonly toolbox: Toolbox;
  readonly registry: Registry;
  /** What is put before the agent beside its task: rules of the project, memories. */
  readonly contextFor: (attempt: Attempt) => Promise<readonly ContextPiece[]>;
  /** Keeps a result that is too long for a model, and says where. */
  readonly keepWhole: (attempt: Attempt, call: CallId, text: string) => Promise<string>;
  /** Where it is, or would be, kept. */
  readonly wholeAt: (attempt: Attempt, call: CallId) => string;
  /** The plan file of the attempt, with the list of what is to be done, as it stands; empty where there is none. */
  readonly planOf: (attempt: Attempt) => Promise<string>;
  /** What is wrong with a value, in words that a model can act on. */
  readonly problemsOf: (schema: JsonObject, value: Json) => Promise<string | undefined>;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly platform: string;
  readonly settings: Pick<Settings, "graceMs">;
}
