import { approvalNotFound, taskNotFound } from "../errors/index.ts";
import type { ApprovalId, ApprovalView, TaskId, TaskView } from "../schema/index.ts";
import type { OperationContext } from "./operation.ts";

/** The task, if there is one and the caller may see it. An agent inside an attempt sees what is below it. */
export async function reach({ engine, caller }: OperationContext, id: TaskId): Promise<TaskView> {
  const { store } = engine.parts;
  const task = await store.task(id);
  if (task === undefined) throw taskNotFound(id);
  if (caller.inside === null) return task;
  for (let above = task.spec.parent; above !== null; above = (await store.task(above))?.spec.parent ?? null) {
    if (above === caller.inside.id) return task;
  }
  throw taskNotFound(id); // the same words as for one that is not there: its existence is nobody's business
}

const OPEN_LISTED = 1000;

/** What waits for an answer: for an agent, only below itself. */
export async function openApprovals(context: OperationContext): Promise<{ task: TaskView; approval: ApprovalView }[]> {
  const { engine, caller } = context;
  const asking = await engine.parts.store.tasks({ asking: true, root: caller.inside?.spec.root, limit: OPEN_LISTED });
  const reached = await Promise.all(asking.map((task) => reach(context, task.id).catch(() => undefined)));
  return reached
    .filter((task) => task !== undefined)
    .flatMap((task) => task.approvals.filter(({ state }) => state === "open").map((approval) => ({ task, approval })));
}

/** The task that asked. Found also when the approval is closed, so that the caller hears why. */
export async function taskOfApproval({ engine }: OperationContext, approval: ApprovalId): Promise<TaskView> {
  const [task] = await engine.parts.store.tasks({ asking: approval, limit: 1 });
  if (task === undefined) throw approvalNotFound(approval);
  return task;
}
