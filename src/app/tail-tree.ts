import { canGoOn, type Engine } from "../engine/index.ts";
import type { Envelope, TaskId, TaskView } from "../schema/index.ts";

const BEGINS: ReadonlySet<string> = new Set(["task.admitted", "task.requeued"]);

/**
 * The events of a task and of everything below it, in order: from its beginning, or after a place in the log,
 * until all of them have ended, or go on only by a person's word. What ended once and was queued again later is followed through both.
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
  const isLeft = (task: TaskView | undefined): boolean =>
    task?.status === "interrupted" && !canGoOn(task, engine.parts);
  if (after >= root.firstPosition) {
    const tree = await store.tasks({ root: root.spec.root, limit: Number.MAX_SAFE_INTEGER });
    for (const task of tree.toReversed()) {
      if (!family.has(task.spec.parent ?? root.id)) continue; // parents come first: a branch beside ours
      family.add(task.id);
      if (task.outcome === null && !isLeft(task)) open.add(task.id);
    }
  }
  if (after >= now && open.size === 0) return;
  for await (const envelope of engine.follow({ after }, signal)) {
    const { stream, event, position } = envelope;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- streams are named by them
    const id = stream.slice(stream.indexOf(":") + 1) as TaskId;
    if (event.type === "task.admitted" && family.has(event.spec.parent ?? "")) family.add(id);
    if (family.has(id)) {
      if (BEGINS.has(event.type)) open.add(id);
      else if (event.type === "task.ended" || (event.type === "task.interrupted" && isLeft(await store.task(id))))
        open.delete(id);
      yield envelope;
    }
    if (open.size === 0 && position >= now) return;
  }
}
