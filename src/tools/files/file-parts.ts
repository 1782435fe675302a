import type { PathLocks } from "./path-locks.ts";
import type { Places } from "./places.ts";
import type { SeenFiles } from "./seen-files.ts";

/** What the file tools of one attempt share. */
export interface FileParts {
  readonly places: Places;
  readonly seen: SeenFiles;
  readonly locks: PathLocks;
  readonly signal: AbortSignal;
  /** Those of `Glob` and `List` that the agent has: it is told of no others. */
  readonly finders: readonly string[];
}
