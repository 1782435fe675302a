import type { Cadre } from "../../app/index.ts";
import { CadreError } from "../../errors/index.ts";
import type { Approval, TaskView } from "../../schema/index.ts";
import { askOnTerminal } from "../ask-on-terminal.ts";
import type { CommandContext } from "../command.ts";
import { liveProgress, type Progress } from "./live-progress.ts";

/**
 * Runs tasks here, all at the same time, shows what happens, and puts questions to the person at the terminal.
 * One that cannot be finished does not keep the others from it.
 */
export async function finishAndWatch(
  context: CommandContext,
  cadre: Cadre,
  tasks: readonly TaskView[],
): Promise<PromiseSettledResult<TaskView>[]> {
  const { out, streams, signal } = context;
  const show = liveProgress(out, [], streams.stderr, streams.env);
  const ask = oneAtATime((approval) => show.aside(() => put(context, cadre, approval)));
  try {
    return await Promise.allSettled(
      tasks.map(async (task) => {
        const watching = watch(cadre, task, show, streams.stdin.isTTY === true ? ask : null);
        const [ended] = await Promise.all([cadre.finish(task, signal), watching]);
        return ended;
      }),
    );
  } finally {
    show.stop();
  }
}

type Ask = (approval: Approval) => Promise<void>;

function oneAtATime(ask: Ask): Ask {
  let last = Promise.resolve();
  return (approval) => {
    last = last.then(() => ask(approval));
    return last;
  };
}

async function watch(cadre: Cadre, task: TaskView, show: Progress, ask: Ask | null): Promise<void> {
  let questions = Promise.resolve();
  for await (const envelope of cadre.tail(task)) {
    show(envelope);
    if (envelope.event.type === "approval.asked" && ask !== null) questions = ask(envelope.event.approval);
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
