import type { ClaimRequest } from "../../ports/index.ts";
import type { TaskView } from "../../schema/index.ts";

/** Whether a worker that asks like this can run a task, once it is due. */
export const canTake = ({ dispatch, backends, root, has }: ClaimRequest, { spec, backend }: TaskView): boolean =>
  (root === undefined || spec.root === root) &&
  dispatch.includes(spec.dispatch) &&
  backends.includes(backend) &&
  spec.needs.every((need) => has.some(({ name, sha256 }) => name === need.name && sha256 === need.sha256));
