import type { Dispatch, TaskId, TaskView } from "../schema/index.ts";
import type { EngineParts } from "./parts.ts";
import { stop, stopChildren } from "./stop.ts";

/**
 * Before claiming: whatever a dead worker held is interrupted. Where the backend can go on from its last
 * durable turn without doing anything twice, it is queued again; the rest waits for a person.
 */
export async function recover(parts: EngineParts): Promise<void> {
  const { store, liveness, custody } = parts;
  for (const worker of await store.holders()) {
    if (worker.id === liveness.self.id || (await liveness.check(worker)) !== "dead") continue;
    await (await custody()).sweep(worker.id); // before anything of it may run again
    const interrupted = await store.interrupt(worker.id, `its worker (pid ${worker.pid}) died`);
    await stopWished(parts, interrupted);
    for (const task of interrupted) await goOn(parts, task);
  }
}

/** When a worker begins: what was interrupted, and not queued again because whoever was to do that died in between. */
export async function goOnWith(
  parts: EngineParts,
  { dispatch, root }: { readonly dispatch: readonly Dispatch[]; readonly root?: TaskId | undefined },
): Promise<void> {
  const { store } = parts;
  // A tree that was never begun has nothing that could have been interrupted, which is told without searching for it.
  if (root !== undefined && (await store.task(root))?.attempts.length === 0) return;
  const interrupted = await store.tasks({ status: ["interrupted"], root, limit: MOST });
  await stopWished(parts, interrupted);
  for (const task of interrupted) if (dispatch.includes(task.spec.dispatch)) await goOn(parts, task);
}

const MOST = 1_000;
/** What has brought down so many workers is left to a person. */
const MOST_ATTEMPTS = 5;

/** Of what was interrupted: whether it is, or will be, queued again by itself. */
export const canGoOn = ({ backend, attempts, stopRequestedBy }: TaskView, { backends }: EngineParts): boolean =>
  stopRequestedBy === null && backends.get(backend)?.capabilities.resume === "turn" && attempts.length < MOST_ATTEMPTS;

/** Of an interrupted task: no worker goes on with it by itself. Of a backend that is not here, nobody here knows. */
export const isLeftToPerson = (task: TaskView, parts: EngineParts): boolean =>
  task.status === "interrupted" &&
  task.stopRequestedBy === null &&
  parts.backends.has(task.backend) &&
  !canGoOn(task, parts);

/** Whoever was to stop these is gone. What is below goes first: a worker that dies in between leaves none of it running. */
async function stopWished(parts: EngineParts, tasks: readonly TaskView[]): Promise<void> {
  for (const task of tasks) {
    const by = task.stopRequestedBy;
    if (by === null) continue;
    await stopChildren(parts, task, by);
    await stop(parts, task.id, by);
  }
}

/** Queued again, where its backend can go on. Refused where somebody was quicker, to go on or to stop it, which is as good. */
export async function goOn(parts: EngineParts, task: TaskView): Promise<void> {
  if (canGoOn(task, parts)) await parts.store.command(task.id, { type: "requeue", because: "recovery", by: "cadre" });
}
