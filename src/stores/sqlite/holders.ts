import type { Worker } from "../../schema/index.ts";
import type { Row } from "./database.ts";

export const HOLDERS = "SELECT worker FROM workers WHERE id IN (SELECT holder FROM tasks WHERE holder IS NOT NULL)";
export const RESIDENT = "SELECT value AS worker FROM meta WHERE key = 'resident'";

export const workerOf = (row: Row): Worker => JSON.parse(String(row["worker"])) as Worker;
