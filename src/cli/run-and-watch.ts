import type { Cadre } from "../app/index.ts";
import { CadreError } from "../errors/index.ts";
import type { OperationInput } from "../operations/index.ts";
import type { Approval, TaskView } from "../schema/index.ts";
import { askOnTerminal } from "./ask-on-terminal.ts";
import type { CommandContext } from "./command.ts";
import { progress } from "./progress.ts";

/** Runs tasks here, shows what happens, and puts questions to the person at the terminal. */
export async function runAndWatch(
  context: CommandContext,
  cadre: Cadre,
  requests: readonly OperationInput<"task.start">[],
): Promise<TaskView[]> {
  const show = progress(context.out);
  return Promise.all(
    requests.map(async (request) => {
      const task = await cadre.start(request);
      const [ended] = await Promise.all([cadre.finish(task, context.signal), watch(context, cadre, task, show)]);
      return ended;
    }),
  );
}

async function watch(
  context: CommandContext,
  cadre: Cadre,
  task: TaskView,
  show: ReturnType<typeof progress>,
): Promise<void> {
  let questions = Promise.resolve();
  for await (const envelope of cadre.tail(task)) {
    show(envelope);
    const { event } = envelope;
    if (event.type !== "approval.asked" || context.streams.stdin.isTTY !== true) continue;
    questions = questions.then(() => put(context, cadre, event.approval)); // one at a time
  }
  await questions;
}

async function put({ out, signal }: CommandContext, cadre: Cadre, approval: Approval): Promise<void> {
  try {
    const answer = await askOnTerminal(approval, out, signal);
    await cadre.call("approval.answer", { approval: approval.id, answer });
  } catch (error) {
    // Answered elsewhere meanwhile, or Ctrl-C: the task goes on or is being stopped.
    if (!CadreError.isInstance(error) && !signal.aborted) throw error;
  }
}
