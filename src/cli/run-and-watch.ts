import type { Cadre } from "../app/index.ts";
import type { OperationInput } from "../operations/index.ts";
import type { TaskView } from "../schema/index.ts";
import type { CommandContext } from "./command.ts";
import { startAndWatch } from "./live/start-and-watch.ts";

/** Starts tasks and runs them here, shows what happens, and puts questions to the person at the terminal. */
export async function runAndWatch(
  context: CommandContext,
  cadre: Cadre,
  requests: readonly OperationInput<"task.start">[],
): Promise<TaskView[]> {
  const start = () => Promise.all(requests.map((request) => cadre.start(request)));
  const { settled } = await startAndWatch(context, cadre, start);
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}
