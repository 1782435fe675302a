import type { Cadre } from "../app/index.ts";
import type { OperationOutput } from "../operations/index.ts";
import type { TaskView } from "../schema/index.ts";
import { counted } from "./render/counted.ts";
import type { HeldBack } from "./render/tasks.ts";

/** Which of these are not started, and why. Mostly none, which is known without asking. */
export async function heldBackOf(cadre: Cadre, tasks: readonly TaskView[]): Promise<HeldBack> {
  if (!tasks.some(mayBeHeldBack)) return new Map();
  const { heldBack, limited } = await cadre.call("task.held-back", {});
  const byLimit = limited === null ? [] : tasks.filter(isDue).map(({ id }) => [id, limitWords(limited)] as const);
  const byWriter = heldBack.map(({ task, name }) => [task, writerWords(name)] as const);
  return new Map([...byLimit, ...byWriter]);
}

export const mayBeHeldBack = (task: TaskView): boolean =>
  isDue(task) || (task.status === "pending" && task.spec.writes !== undefined);

/** What a person has to say work for waits for that. */
const isDue = ({ status, spec }: TaskView): boolean =>
  status === "pending" && spec.dispatch === "auto" && (spec.notBefore ?? 0) <= Date.now();

const writerWords = (name: string) => ({
  short: `behind ${name}`,
  why: `${name} writes where this would: it is run when that has ended`,
});

const limitWords = ({ setting, limit }: NonNullable<OperationOutput<"task.held-back">["limited"]>) =>
  setting === "subagents.max_concurrent"
    ? { short: "no slot", why: `the limit of ${counted(limit, "task")} at work is reached (${setting})` }
    : { short: "rate limit", why: `the limit of ${counted(limit, "start")} a minute is reached (${setting})` };
