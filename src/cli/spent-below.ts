import type { Cadre } from "../app/index.ts";
import { type Spent, spentTogether } from "../operations/words.ts";
import type { TaskView } from "../schema/index.ts";

/** What a task and all below it have cost together. Null: there is nothing below. */
export async function spentWithChildren(cadre: Cadre, task: TaskView): Promise<Spent | null> {
  if (task.children.length === 0) return null;
  const tasks = [task];
  for (const { children } of tasks)
    for (const child of children) tasks.push(await cadre.call("task.get", { task: child }));
  return spentTogether(tasks);
}
