// What a host's model does, by the results that it has been shown.
import { fieldIn } from "./shown.ts";
import type { Script, ToolCall } from "./world.ts";

/** No host is kept busy for good by a task that never ends. */
const MOST_CALLS = 60;

/** One call after the other, whatever comes of them. */
export const inTurn =
  (...calls: readonly ToolCall[]): Script =>
  (results) =>
    calls[results.length] ?? "That was all.";

/** An answer, and what follows of it for as long as there is more. */
export const pageByPage =
  (first: ToolCall): Script =>
  (results) => {
    const last = results.at(-1);
    if (last === undefined) return first;
    const [cursor, id] = [fieldIn(last, "next_cursor"), fieldIn(last, "task_id")];
    if (cursor === undefined || cursor === "null" || results.length > MOST_CALLS) return "That was all.";
    return ["task_output", { task_id: id, cursor: Number(cursor) }];
  };

/** Asks again for as long as it goes on, each time for less than the host would wait. */
export const untilItEnds =
  (id: string, timeout: number): Script =>
  (results) => {
    const status = fieldIn(results.at(-1) ?? "status: running", "status");
    const goesOn = status === "running" || status === "pending";
    return goesOn && results.length < MOST_CALLS ? ["task_output", { task_id: id, timeout }] : "That was all.";
  };
