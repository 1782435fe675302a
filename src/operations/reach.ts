import { approvalNotFound, taskNotFound } from "../errors/index.ts";
import type { ApprovalId, TaskId, TaskView } from "../schema/index.ts";
import type { OperationContext } from "./operation.ts";

/** The task, if there is one and the caller may see it. An agent inside an attempt sees what is below it. */
export async function reach(context: OperationContext, id: TaskId): Promise<TaskView> {
  const task = await context.engine.parts.store.task(id);
  // The same words for one that is there and out of reach: its existence is nobody's business.
  if (task === undefined || !(await isInReach(context, task))) throw taskNotFound(id);
  return task;
}

export async function reachable(context: OperationContext, tasks: readonly TaskView[]): Promise<TaskView[]> {
  const inReach = await Promise.all(tasks.map((task) => isInReach(context, task)));
  return tasks.filter((_, index) => inReach[index]);
}

async function isInReach({ engine, caller }: OperationContext, task: TaskView): Promise<boolean> {
  if (caller.inside === null) return true;
  for (
    let above = task.spec.parent;
    above !== null;
    above = (await engine.parts.store.task(above))?.spec.parent ?? null
  ) {
    if (above === caller.inside.id) return true;
  }
  return false;
}

/** The task that asked. Found also when the approval is closed, so that the caller hears why. */
export async function taskOfApproval({ engine }: OperationContext, approval: ApprovalId): Promise<TaskView> {
  const [task] = await engine.parts.store.tasks({ asking: approval, limit: 1 });
  if (task === undefined) throw approvalNotFound(approval);
  return task;
}
