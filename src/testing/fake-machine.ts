import type { Liveness } from "../ports/index.ts";
import type { Worker, WorkerId } from "../schema/index.ts";

/** Workers of one imagined machine: alive until a test says otherwise. */
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
        id: `work_${pid}` as WorkerId,
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
