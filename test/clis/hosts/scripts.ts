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

/** Looks for a task of this agent that it has no id of, and asks again for as long as that goes on. */
export const untilItEnds =
  (agent: string, timeout: number): Script =>
  (results) => {
    const last = results.at(-1);
    if (last === undefined) return ["task_output", {}];
    const id = idOf(results[0] ?? "", agent);
    const goesOn = results.length === 1 || /^(?:running|pending)$/.test(fieldIn(last, "status") ?? "");
    return goesOn && results.length < MOST_CALLS ? ["task_output", { task_id: id, timeout }] : "That was all.";
  };

/** The first of a list of tasks, as JSON or as lines, that is this agent's. */
const idOf = (list: string, agent: string): string | undefined =>
  new RegExp(`(task_\\w{20,})(?:"[^{}]*"agent":"${agent}"| ${agent} )`).exec(list)?.[1];
