import type { Cadre } from "../app/index.ts";
import { taskAmbiguous, taskNotFound } from "../errors/index.ts";
import type { TaskId } from "../schema/index.ts";

/** What a person calls a task, as its id: `oracle#4`, `@last`, a whole id or the end of one. */
export async function resolveTask(cadre: Cadre, text: string): Promise<TaskId> {
  const { ids } = await cadre.call("task.find", { ref: text });
  const [id] = ids;
  if (id === undefined) throw taskNotFound(text);
  if (ids.length > 1) throw taskAmbiguous(text, ids.length);
  return id;
}
