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
      if (backends.get(task.backend)?.capabilities.resume !== "turn") continue;
      await store.command(task.id, { type: "requeue", because: "recovery", by: "cadre" });
    }
  }
}
