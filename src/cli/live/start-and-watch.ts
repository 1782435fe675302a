import type { Cadre } from "../../app/index.ts";
import { stopOnAbort } from "../../app/stop-on-abort.ts";
import { CadreError } from "../../errors/index.ts";
import type { Approval, TaskView } from "../../schema/index.ts";
import { askOnTerminal } from "../ask-on-terminal.ts";
import type { CommandContext } from "../command.ts";
import type { Output } from "../output.ts";
import { tellUnheard } from "../tell-beside.ts";
import { liveProgress, type Progress } from "./live-progress.ts";
import { type OpenQuestions, openQuestions } from "./open-questions.ts";
import { tellWaiting } from "./tell-waiting.ts";

interface Watched {
  /** As they were admitted, and what became of each. */
  readonly tasks: readonly TaskView[];
  readonly settled: readonly PromiseSettledResult<TaskView>[];
}

/**
 * Runs tasks here, all at the same time, shows what happens, and puts questions to the person at the terminal.
 * One that cannot be finished does not keep the others from it.
 */
export async function startAndWatch(
  context: CommandContext,
  cadre: Cadre,
  start: () => Promise<readonly TaskView[]>,
): Promise<Watched> {
  const { out, streams, signal, unstored } = context;
  signal.throwIfAborted();
  const tasks = await unstored.keep(start());
  const stopping: Pick<Cadre, "call"> = { call: (name, input) => unstored.keep(cadre.call(name, input)) };
  const show = liveProgress(out, [], streams.stderr, streams.env);
  const isTerminal = streams.stdin.isTTY === true;
  const questions = isTerminal ? openQuestions((...one) => show.aside(() => put(out, cadre, ...one)), signal) : null;
  try {
    const settled = await Promise.allSettled(
      tasks.map(async (task) => {
        using _stop = stopOnAbort(stopping, task.id, signal);
        const [ended] = await Promise.all([cadre.finish(task), watch(cadre, task, show, questions)]);
        return ended;
      }),
    );
    for (const one of settled) if (one.status === "fulfilled") tellUnheard(out, one.value);
    return { tasks, settled };
  } finally {
    show.stop();
  }
}

async function watch(cadre: Cadre, task: TaskView, show: Progress, questions: OpenQuestions | null): Promise<void> {
  using waiting = tellWaiting(cadre, task, show);
  for await (const envelope of cadre.tail(task)) {
    show(envelope);
    waiting.take(envelope);
    questions?.take(envelope);
  }
  await questions?.settled();
}

async function put(out: Output, cadre: Cadre, approval: Approval, signal: AbortSignal): Promise<void> {
  try {
    const answer = await askOnTerminal(approval, out, signal);
    await cadre.call("approval.answer", { approval: approval.id, answer });
  } catch (error) {
    if (signal.aborted) out.talk(""); // the question stays above: what comes next does not go on in its line
    // Answered elsewhere meanwhile, or Ctrl-C: the task goes on or is being stopped.
    else if (!CadreError.isInstance(error)) throw error;
  }
}
