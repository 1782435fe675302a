import type { TaskQuery } from "../../ports/index.ts";
import type { TaskView, Worker } from "../../schema/index.ts";
import { Database } from "./database.ts";
import { EventRows } from "./event-rows.ts";
import { HOLDERS, RESIDENT, workerOf } from "./holders.ts";
import { TaskRows } from "./task-rows.ts";

export interface ReadTasks {
  readonly tasks: readonly TaskView[];
  /** Workers that hold something. */
  readonly holders: readonly Worker[];
  /** Some of those that any worker would take. */
  readonly queued: readonly TaskView[];
  /** Asked for only where something is queued. */
  readonly resident: Worker | undefined;
}

const QUEUED = "WHERE status = 'pending' AND dispatch = 'auto' LIMIT 20";

/** One page of tasks from a file that is there, without changing it. `undefined`: it has not the shape of today. */
export function readTasks(file: string, query: TaskQuery): ReadTasks | undefined {
  using database = Database.toRead(file);
  if (!database.isUpToDate()) return undefined;
  const rows = new TaskRows(database, new EventRows(database));
  const queued = rows.select(QUEUED);
  const resident = queued.length === 0 ? undefined : database.one(RESIDENT);
  return {
    tasks: rows.list(query),
    holders: database.all(HOLDERS).map(workerOf),
    queued,
    resident: resident === undefined ? undefined : workerOf(resident),
  };
}
