import type { ClaimRequest } from "../../ports/index.ts";
import type { TaskView } from "../../schema/index.ts";

/** What a worker can run. */
export type Able = Pick<ClaimRequest, "dispatch" | "backends" | "root" | "has">;

/** Whether a worker that asks like this can run a task, once it is due. */
export const canTake = ({ dispatch, backends, root, has }: Able, { spec, backend }: TaskView): boolean =>
  (root === undefined || spec.root === root) &&
  dispatch.includes(spec.dispatch) &&
  backends.includes(backend) &&
  spec.needs.every((need) => has.some(({ name, sha256 }) => name === need.name && sha256 === need.sha256));
