import type { TaskQuery } from "../../ports/index.ts";
import type { TaskView, Worker } from "../../schema/index.ts";
import { Database } from "./database.ts";
import { HOLDERS, workerOf } from "./holders.ts";
import { TaskRows } from "./task-rows.ts";

export interface ReadTasks {
  readonly tasks: readonly TaskView[];
  /** Workers that hold something. */
  readonly holders: readonly Worker[];
}

/** One page of tasks from a file that is there, without changing it. `undefined`: it has not the shape of today. */
export function readTasks(file: string, query: TaskQuery): ReadTasks | undefined {
  using database = Database.toRead(file);
  if (!database.isUpToDate()) return undefined;
  return { tasks: new TaskRows(database).list(query), holders: database.all(HOLDERS).map(workerOf) };
}
