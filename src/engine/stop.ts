import { hasEnded } from "../domain/transitions.ts";
import type { CommandAnswer } from "../ports/index.ts";
import type { TaskId, TaskView } from "../schema/index.ts";
import type { EngineParts } from "./parts.ts";

/**
 * Stops a task and, where it ends at once because nobody holds it, everything below it. A held task's own
 * worker stops its children when it ends.
 */
export async function stop(parts: EngineParts, task: TaskId, by: string): Promise<CommandAnswer> {
  const answer = await parts.store.command(task, { type: "stop", by });
  if (answer.kind === "done") await stopChildren(parts, answer.task, by);
  return answer;
}

export async function stopChildren(parts: EngineParts, { children }: TaskView, by: string): Promise<void> {
  for (const id of children) {
    const child = await parts.store.task(id);
    if (child === undefined) continue;
    // One that has ended may have left something running. One that ends in the meantime refuses, which is as good.
    if (hasEnded(child.status)) await stopChildren(parts, child, by);
    else await stop(parts, id, by);
  }
}
