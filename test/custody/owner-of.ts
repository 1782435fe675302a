import { brandId, type TaskId, type WorkerId } from "../../src/schema/index.ts";

/** The worker of a process of the tests: on the whole machine nothing else is marked like what it starts. */
export const workerOf = (name: string): WorkerId => brandId("work", `${name}-${process.pid}`);

interface Owner {
  readonly worker: WorkerId;
  readonly task: TaskId;
  readonly attempt: number;
}

export const ownerOf = (name: string, attempt = 1): Owner => ({
  worker: workerOf(name),
  task: brandId("task", "1"),
  attempt,
});
