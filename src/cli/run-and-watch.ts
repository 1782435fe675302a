import type { Cadre } from "../app/index.ts";
import type { OperationInput } from "../operations/index.ts";
import type { TaskView } from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { finishAndWatch } from "./live/finish-and-watch.ts";

/** Starts tasks and runs them here, shows what happens, and puts questions to the person at the terminal. */
export async function runAndWatch(
  context: CommandContext,
  cadre: Cadre,
  requests: readonly OperationInput<"task.start">[],
): Promise<TaskView[]> {
  const tasks = await Promise.all(requests.map((request) => cadre.start(request)));
  const settled = await finishAndWatch(context, cadre, tasks);
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}
