import type { Engine } from "../engine/index.ts";
import type { Envelope, TaskView } from "../schema/index.ts";

/** The events of a task and of everything below it, in order, until all of them have ended. */
export async function* tailTree(engine: Engine, root: TaskView, signal: AbortSignal): AsyncGenerator<Envelope> {
  const family = new Set<string>();
  const open = new Set<string>();
  for await (const envelope of engine.follow({ after: root.position - 1 }, signal)) {
    const { stream, event } = envelope;
    const id = stream.slice(stream.indexOf(":") + 1);
    if (event.type === "task.admitted" && (id === root.id || family.has(event.spec.parent ?? ""))) family.add(id);
    if (!family.has(id)) continue;
    if (event.type === "task.ended" || event.type === "task.interrupted") open.delete(id);
    else if (event.type === "task.admitted" || event.type === "task.requeued") open.add(id);
    yield envelope;
    if (open.size === 0) return;
  }
}
