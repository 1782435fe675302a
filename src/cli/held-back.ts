import type { Cadre } from "../app/index.ts";
import type { TaskView } from "../schema/index.ts";
import type { HeldBack } from "./render/tasks.ts";

/** Which of these wait because another one writes where they would. Mostly none, which is known without asking. */
export async function heldBackOf(cadre: Cadre, tasks: readonly TaskView[]): Promise<HeldBack> {
  if (!tasks.some(mayBeHeldBack)) return new Map();
  const { heldBack } = await cadre.call("task.held-back", {});
  return new Map(heldBack.map(({ task, name }) => [task, name]));
}

export const mayBeHeldBack = ({ status, spec }: TaskView): boolean => status === "pending" && spec.writes !== undefined;
