import type { Engine } from "../engine/index.ts";
import type { Envelope, TaskView } from "../schema/index.ts";

const ENDS: ReadonlySet<string> = new Set(["task.ended", "task.interrupted"]);
const BEGINS: ReadonlySet<string> = new Set(["task.admitted", "task.requeued"]);

/**
 * The events of a task and of everything below it, in order: from its beginning, or after a place in the log,
 * until all of them have ended. What ended once and was queued again later is followed through both.
 */
export async function* tailTree(
  engine: Engine,
  root: TaskView,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Envelope> {
  const { store } = engine.parts;
  const now = await store.head();
  const family = new Set<string>([root.id]);
  const open = new Set<string>();
  if (after >= root.firstPosition) {
    const tree = await store.tasks({ root: root.spec.root, limit: Number.MAX_SAFE_INTEGER });
    for (const task of tree.toReversed()) {
      if (!family.has(task.spec.parent ?? root.id)) continue; // parents come first: a branch beside ours
      family.add(task.id);
      if (task.outcome === null && task.interruption === null) open.add(task.id);
    }
  }
  if (after >= now && open.size === 0) return;
  for await (const envelope of engine.follow({ after }, signal)) {
    const { stream, event, position } = envelope;
    const id = stream.slice(stream.indexOf(":") + 1);
    if (event.type === "task.admitted" && family.has(event.spec.parent ?? "")) family.add(id);
    if (family.has(id)) {
      if (BEGINS.has(event.type)) open.add(id);
      else if (ENDS.has(event.type)) open.delete(id);
      yield envelope;
    }
    if (open.size === 0 && position >= now) return;
  }
}
