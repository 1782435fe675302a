import { blockerOf, laneOf, tasksAbove, writesMeet, writesOfLane } from "../../domain/write-lanes.ts";
import type { ClaimRequest } from "../../ports/index.ts";
import type { TaskView } from "../../schema/index.ts";
import type { Tables } from "./tables.ts";

export interface NextFree {
  readonly task: TaskView | undefined;
  readonly until: number | null;
  /** Something is due, and waits for another's writes to be done. */
  readonly isHeldBack: boolean;
}

/**
 * The pending task that comes first among those that nobody at work is in the way of. Tasks are many and lanes few:
 * what is in the way is asked of lanes, and of single tasks only where one may be a child of who is in its way.
 */
export function nextFree(tables: Tables, request: ClaimRequest, now: number): NextFree {
  const writing = request.mayCollide === true ? [] : tables.writing();
  if (writing.length === 0) return { ...tables.nextDue(request, now), isHeldBack: false };
  const lanes = tables.pendingLanes();
  const isBarred = (lane: string): boolean =>
    writing.some(({ spec }) => spec.writes !== undefined && writesMeet(writesOfLane(lane), spec.writes));
  const barred = new Set(lanes.filter(isBarred));
  const open = [null, ...lanes.filter((lane) => !barred.has(lane))].map((lane) => tables.nextDueIn(lane, request, now));
  const kin =
    barred.size === 0 ? [] : tables.dueUnder([...new Set(writing.map(({ spec }) => spec.root))], request, now);
  const free = kin.filter(
    (task) =>
      barred.has(laneOf(task.spec) ?? "") &&
      blockerOf(
        task,
        writing,
        tasksAbove(task.spec, (id) => tables.task(id)),
      ) === undefined,
  );
  const [first] = [...open.filter((task) => task !== undefined), ...free].toSorted(
    (a, b) => b.spec.priority - a.spec.priority || a.firstPosition - b.firstPosition,
  );
  if (first !== undefined) return { task: first, until: null, isHeldBack: false };
  const { task, until } = tables.nextDue(request, now);
  return { task: undefined, until, isHeldBack: task !== undefined };
}
