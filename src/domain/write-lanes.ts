// Which tasks may write at the same time. Two whose writes meet in one place wait for each other, unless one of
// them is above the other: a parent and its children share what they work on.
import type { TaskId, TaskSpec, TaskView, Writes } from "../schema/index.ts";
import { isWithin } from "./scopes.ts";

export function writesMeet(a: Writes, b: Writes): boolean {
  if (a.place !== b.place) return false;
  return a.scopes.some((one) => b.scopes.some((other) => isWithin(one, other) || isWithin(other, one)));
}

/** Tasks with the same lane are alike in where they write. */
export const laneOf = ({ writes }: Pick<TaskSpec, "writes">): string | null =>
  writes === undefined ? null : JSON.stringify([writes.place, ...writes.scopes.toSorted()]);

/** A lane as it was written down. */
export function writesOfLane(lane: string): Writes {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as `laneOf` writes it
  const [place = "", ...scopes] = JSON.parse(lane) as string[];
  return { place, scopes };
}

/**
 * The task at work that this one has to wait for. `above` are those on the way up from it. A child's writes lie
 * within its parent's, so whoever waits here waits for somebody who does not wait for it.
 */
export function blockerOf(
  { id, spec }: Pick<TaskView, "id" | "spec">,
  atWork: readonly TaskView[],
  above: ReadonlySet<TaskId>,
): TaskView | undefined {
  const { writes } = spec;
  if (writes === undefined) return undefined;
  return atWork.find(
    (other) =>
      other.id !== id &&
      !above.has(other.id) &&
      other.spec.writes !== undefined &&
      writesMeet(writes, other.spec.writes),
  );
}

/** On the way up from a task, by whatever finds tasks. */
export function tasksAbove(spec: Pick<TaskSpec, "parent">, find: (id: TaskId) => TaskView | undefined): Set<TaskId> {
  const above = new Set<TaskId>();
  for (let at = spec.parent; at !== null && !above.has(at); at = find(at)?.spec.parent ?? null) above.add(at);
  return above;
}
