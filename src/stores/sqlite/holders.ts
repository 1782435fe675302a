import type { Worker } from "../../schema/index.ts";
import type { Row } from "./database.ts";

/** Of a task that somebody holds: by this an index finds it. */
export const HELD = "status IN ('running', 'waiting')";

export const HOLDERS = `
  SELECT worker, tasks FROM workers
  JOIN (SELECT holder, count(*) AS tasks FROM tasks WHERE ${HELD} GROUP BY holder) ON id = holder`;
export const RESIDENT = "SELECT value AS worker FROM meta WHERE key = 'resident'";

export const workerOf = (row: Row): Worker => JSON.parse(String(row["worker"])) as Worker;
