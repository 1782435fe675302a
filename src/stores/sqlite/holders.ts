import type { Worker } from "../../schema/index.ts";
import type { Row } from "./database.ts";

export const HOLDERS = `
  SELECT worker, tasks FROM workers
  JOIN (SELECT holder, count(*) AS tasks FROM tasks WHERE holder IS NOT NULL GROUP BY holder) ON id = holder`;
export const RESIDENT = "SELECT value AS worker FROM meta WHERE key = 'resident'";

export const workerOf = (row: Row): Worker => JSON.parse(String(row["worker"])) as Worker;
