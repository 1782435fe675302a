import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import type { TaskView } from "../../schema/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { liveProgress } from "../live/live-progress.ts";
import { shortName, statusWords, taskTable } from "../render/tasks.ts";

/** How long Ctrl-C may have to wait, and a worker that died goes unnoticed. */
const LOOK_AGAIN_MS = 1_000;

export const command = defineCommand({
  usage: "work",
  summary: "Run what is queued, the most urgent and then the oldest first, until nothing is left",
  works: true,
  insteadInSandbox: "Nothing has to be done: what is started in here is run by the worker outside. See: cadre status",
  operations: ["task.list"],
  options: {
    "--once": "run only the oldest task that is queued",
    "--resident": "be this store's worker in the background (it is started by itself)",
  },
  args: z.object({ once: z.boolean().default(false), resident: z.boolean().default(false) }),
  async run(context, { once, resident }) {
    if (resident) return reside(context);
    await using cadre = await context.open();
    await cadre.syncFiles();
    const { tasks: queued } = await cadre.call("task.list", { status: ["pending"], limit: 1000 });
    const oldest = queued.toReversed();
    const meant = once ? oldest.slice(0, 1) : oldest;
    if (meant.length === 0) {
      context.out.data([], () => "No pending agent tasks found.");
      return EXIT.ok;
    }
    const show = liveProgress(context.out, meant, context.streams.stderr, context.streams.env);
    const over = new AbortController();
    const signal = AbortSignal.any([context.signal, over.signal]);
    const watching = meant.map(async (task) => {
      for await (const envelope of cadre.tail(task, { after: task.position - 1, signal })) show(envelope);
    });
    let after: readonly TaskView[];
    try {
      after = await workThrough(cadre, meant, once, context.signal);
      await Promise.all(watching.filter((_, index) => after[index]?.outcome !== null));
    } finally {
      over.abort(); // of what has not ended there is nothing more to see here
      show.stop();
    }
    await Promise.all(watching);
    if (!context.signal.aborted)
      for (const task of after) if (task.status === "pending") context.out.talk(leftLine(task));
    context.out.data(after, (_, colors) => (once ? finishedLine(after) : taskTable(after, colors)));
    return after.every(({ status }) => status === "completed") ? EXIT.ok : EXIT.taskFailed;
  },
});

/** Until nothing is left that can be run here. What another worker has taken is waited for: it may die over it. */
async function workThrough(
  cadre: Cadre,
  meant: readonly TaskView[],
  once: boolean,
  signal: AbortSignal,
): Promise<readonly TaskView[]> {
  for (;;) {
    await cadre.work({ dispatch: ["auto", "manual"], root: once ? meant[0]?.spec.root : undefined }, signal);
    const now = await Promise.all(meant.map(({ id }) => cadre.call("task.get", { task: id })));
    const elsewhere = now.find(({ holder }) => holder !== null);
    if (elsewhere === undefined || signal.aborted) return now;
    await cadre.call("task.wait", { task: elsewhere.id, waitMs: LOOK_AGAIN_MS });
  }
}

const leftLine = (task: TaskView): string => {
  const names = task.spec.needs.map(({ name }) => name).join(" and ");
  const why = names === "" ? "nobody here can run it" : `it needs ${names} with the value that it was queued with`;
  return `${shortName(task)} was left: ${why}`;
};

const finishedLine = (tasks: readonly TaskView[]): string =>
  tasks
    .map((task) =>
      task.outcome === null ? `Task ${task.id} is ${statusWords(task)}.` : `Orchestrator finished task ${task.id}.`,
    )
    .join("\n");

async function reside({ open, signal }: CommandContext): Promise<Exit> {
  await using cadre = await open();
  await cadre.reside(signal);
  return EXIT.ok;
}
