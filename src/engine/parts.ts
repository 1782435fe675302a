import type { Settings } from "../domain/limits.ts";
import type {
  Admission,
  AdmitAnswer,
  Backend,
  Clock,
  Confinement,
  Credentials,
  Custody,
  Gates,
  Hold,
  LiveParts,
  Liveness,
  Mint,
  OpenHatch,
  OwnFiles,
  Registry,
  Store,
  Workspaces,
} from "../ports/index.ts";
import type { BackendName, Policy, TaskId } from "../schema/index.ts";
import type { Pulse } from "./pulse.ts";

/** All that the engine needs from outside. */
export interface EngineParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly mint: Mint;
  readonly liveness: Liveness;
  readonly registry: Registry;
  readonly backends: ReadonlyMap<BackendName, Backend>;
  readonly workspaces: Workspaces;
  readonly confinement: Confinement;
  /** Found out when it is first needed: that may start programs, and most processes run no attempt. */
  readonly custody: () => Promise<Custody>;
  readonly credentials: Pick<Credentials, "available" | "known">;
  readonly gates: Gates;
  /** Where a task may write whatever its workspace says. */
  readonly ownFiles: (task: TaskId) => OwnFiles;
  /** An absolute path as a policy names it: from the project where it lies in it. */
  readonly scopeOf: (path: string) => string;
  /** Folders of our own state, as a policy names them: no agent writes there, whatever its scopes say. */
  readonly homes: readonly string[];
  /** Whether a `.cadre` deeper in the project is one, as a policy names it. Absent: each of them. */
  readonly isHome?: ((path: string) => boolean) | undefined;
  /** Absent: programs in a sandbox cannot ask anything. */
  readonly hatch?: OpenHatch | undefined;
  readonly live: LiveParts;
  readonly settings: Settings;
  /** What no task may exceed, from the user's own settings. */
  readonly baseline: Policy;
}

/** The same, once the engine listens to the log. */
export interface RunningParts extends EngineParts {
  readonly pulse: Pulse;
  /** When a worker of this engine last looked for sessions that nobody uses; `undefined`: none has yet. */
  readonly lastRound: { at: number | undefined };
}

/** And inside a worker. */
export interface WorkingParts extends RunningParts {
  /** What is admitted below an attempt of this worker, and may run at once, it takes in the same step. */
  readonly admitAndTake: (admissions: readonly Admission[], hold: Hold) => Promise<AdmitAnswer>;
}
