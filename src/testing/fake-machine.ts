import { ownPid } from "../platform/processes.ts";
import type { Liveness } from "../ports/index.ts";
import { brandId, type Worker, type WorkerId } from "../schema/index.ts";

/**
 * Workers of one imagined machine: alive until a test says otherwise. Their ids have the real process in them: what a
 * worker leaves behind is looked for on the whole machine, where other tests run, too.
 */
export interface FakeMachine {
  worker(): Liveness;
  kill(worker: WorkerId): void;
}

export function fakeMachine(): FakeMachine {
  const dead = new Set<WorkerId>();
  let pid = 100;
  return {
    worker() {
      pid++;
      const self: Worker = {
        id: brandId("work", `${ownPid()}${pid}`),
        host: "machine",
        bootId: "boot",
        pidNamespace: "pid:[1]",
        pid,
        startTime: String(pid),
      };
      return { self, check: async ({ id }) => (dead.has(id) ? "dead" : "alive") };
    },
    kill: (worker) => void dead.add(worker),
  };
}
