// A word in the environment of what an attempt starts, by which it is found again when nothing else leads to it.
import type { TaskId, WorkerId } from "../schema/index.ts";

export const MARKER = "CADRE_KEEP";

export interface Owner {
  readonly worker: WorkerId;
  readonly task: TaskId;
  readonly attempt: number;
}

export const markerOf = ({ worker, task, attempt }: Owner): string => `${worker}:${task}:${attempt}`;

/** For a namespace that is made before anybody needs it: found by its worker's name, and told from all others. */
export const waitingMarkerOf = (worker: WorkerId, number: number): string => `${worker}:waiting:${number}`;

/** Tells by an environment, as /proc has it, whether it carries one of these very markers. */
export function markedAs(...markers: readonly string[]): (environment: string) => boolean {
  const entries = markers.map((marker) => `\0${MARKER}=${marker}\0`);
  return (environment) => entries.some((entry) => `\0${environment}\0`.includes(entry));
}

/** The same for whatever is one worker's. */
export function markedBy(worker: WorkerId): (environment: string) => boolean {
  const start = `\0${MARKER}=${worker}:`; // with the colon: no worker is taken for one whose id goes on
  return (environment) => `\0${environment}`.includes(start);
}
