import type { Cadre } from "../app/index.ts";
import type { Envelope, TaskId } from "../schema/index.ts";

const PAGE = 1000;

/** Everything that happened to a task, in order: a long one has many pages. */
export async function allEvents(cadre: Cadre, task: TaskId, stream: "task" | "control" = "task"): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for (let after = 0; ;) {
    const { events } = await cadre.call("task.events", { task, stream, after, limit: PAGE });
    for (const one of events) all.push(one);
    const last = events.at(-1);
    if (last === undefined || events.length < PAGE) return all;
    after = last.position;
  }
}
