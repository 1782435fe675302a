import type { TaskId } from "../schema/index.ts";

/** The file in the folder `logs` that holds what a driven program really said of a task. */
export const rawLogName = (task: TaskId): string => `${task}.raw.jsonl`;
