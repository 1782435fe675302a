import type { TaskView } from "../schema/index.ts";
import type { AttemptScope } from "./attempt-scope.ts";

/**
 * How a `cadre` that an attempt's program has started reaches the worker, where that program can reach nothing else: the
 * store is not to be seen from a sandbox. It is let in as the attempt's own by its token, and may what any agent may.
 */
export interface Hatch {
  /** Made when it is first asked for. A sandbox MUST show it at the same place, to be written. */
  folder(): string;
  /** When no program of the attempt runs any more: resolves when nobody waits in it. */
  close(): Promise<void>;
}

export interface HatchWish {
  readonly task: TaskView;
  readonly token: string;
  /** There once the attempt's backend runs: programs start after that. */
  readonly scope: () => Pick<AttemptScope, "wait"> | undefined;
}

export type OpenHatch = (wish: HatchWish) => Hatch;
