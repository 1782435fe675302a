// What a log says of a task, from nothing and with a look at every event.
import { corruptLog } from "../errors/index.ts";
import { ControlEvent, type Envelope, type LogEvent, TaskEvent, type TaskId, type TaskView } from "../schema/index.ts";
import { admitTask, applyControlEvent, applyTaskEvent } from "./task-projection.ts";

export function foldTask(id: TaskId, envelopes: readonly Envelope[]): TaskView {
  let view: TaskView | undefined;
  for (const { stream, event, ...place } of envelopes) {
    if (stream === `control:${id}`) {
      if (view === undefined) throw corruptLog(`${id} was spoken to before it was admitted`);
      view = applyControlEvent(view, parsed(ControlEvent, event), place);
    } else if (stream === `task:${id}`) {
      const fact = parsed(TaskEvent, event);
      if (view !== undefined) view = applyTaskEvent(view, fact, place);
      else if (fact.type === "task.admitted") view = admitTask(id, fact, place);
      else throw corruptLog(`${id} begins with "${fact.type}"`);
    }
  }
  if (view === undefined) throw corruptLog(`${id} was never admitted`);
  return view;
}

/** An event that stands in a stream where it cannot. */
function parsed<T>(
  kind: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  event: LogEvent,
): T {
  const result = kind.safeParse(event);
  if (!result.success) throw corruptLog(`"${event.type}" stands in the wrong stream`);
  return result.data;
}
