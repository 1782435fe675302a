// A word in the environment of what an attempt starts, by which it is found again when nothing else leads to it.
import type { TaskId, WorkerId } from "../schema/index.ts";

export const MARKER = "CADRE_KEEP";

export interface Owner {
  readonly worker: WorkerId;
  readonly task: TaskId;
  readonly attempt: number;
}

export const markerOf = ({ worker, task, attempt }: Owner): string => `${worker}:${task}:${attempt}`;

/** Tells by an environment, as /proc has it, whether it is marked as this one attempt's. */
export function markedAs(owner: Owner): (environment: string) => boolean {
  const entry = `\0${MARKER}=${markerOf(owner)}\0`;
  return (environment) => `\0${environment}\0`.includes(entry);
}

/** The same for everything of one worker. */
export function markedBy(worker: WorkerId): (environment: string) => boolean {
  const start = `\0${MARKER}=${worker}:`; // with the colon: no worker is taken for one whose id goes on
  return (environment) => `\0${environment}`.includes(start);
}
