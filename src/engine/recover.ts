import type { Store } from "../ports/index.ts";
import type { Dispatch, TaskId, TaskView } from "../schema/index.ts";
import type { EngineParts } from "./parts.ts";

/**
 * Before claiming: whatever a dead worker held is interrupted. Where the backend can go on from its last
 * durable turn without doing anything twice, it is queued again; the rest waits for a person.
 */
export async function recover({ store, liveness, backends, custody }: EngineParts): Promise<void> {
  for (const worker of await store.holders()) {
    if (worker.id === liveness.self.id || (await liveness.check(worker)) !== "dead") continue;
    await (await custody()).sweep(worker.id); // before anything of it may run again
    for (const task of await store.interrupt(worker.id, `its worker (pid ${worker.pid}) died`)) {
      if (task.stopRequestedBy !== null) {
        await store.command(task.id, { type: "stop", by: task.stopRequestedBy }); // nobody was left to do it
        continue;
      }
      if (canGoOn(task, backends)) await requeue(store, task);
    }
  }
}

/** When a worker begins: what was interrupted by a worker that went in peace goes on like what a dead one left. */
export async function goOnWith(
  { store, backends }: EngineParts,
  { dispatch, root }: { readonly dispatch: readonly Dispatch[]; readonly root?: TaskId | undefined },
): Promise<void> {
  // A tree that was never begun has nothing that could have been interrupted, which is told without searching for it.
  if (root !== undefined && (await store.task(root))?.attempts.length === 0) return;
  for (const task of await store.tasks({ status: ["interrupted"], root, limit: MOST })) {
    if (dispatch.includes(task.spec.dispatch) && canGoOn(task, backends)) await requeue(store, task);
  }
}

const MOST = 1_000;
/** What has brought down so many workers is left to a person. */
const MOST_ATTEMPTS = 5;

const canGoOn = ({ backend, attempts }: TaskView, backends: EngineParts["backends"]): boolean =>
  backends.get(backend)?.capabilities.resume === "turn" && attempts.length < MOST_ATTEMPTS;

/** Refused where somebody was quicker, which is as good. */
const requeue = (store: Store, { id }: TaskView): Promise<unknown> =>
  store.command(id, { type: "requeue", because: "recovery", by: "cadre" });
