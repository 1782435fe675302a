import * as z from "zod";
import type { TaskView } from "../../schema/index.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, type Exit } from "../exit-codes.ts";
import { liveProgress } from "../live/live-progress.ts";
import { taskTable } from "../render/tasks.ts";

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
    const watching = meant.map(async (task) => {
      for await (const envelope of cadre.tail(task, { after: task.position - 1, signal: context.signal }))
        show(envelope);
    });
    const [only] = meant;
    try {
      await cadre.work({ dispatch: ["auto", "manual"], root: once ? only?.spec.root : undefined }, context.signal);
      await Promise.all(watching);
    } finally {
      show.stop();
    }
    const ended = await Promise.all(meant.map(({ id }) => cadre.call("task.get", { task: id })));
    context.out.data(ended, (_, colors) => (once ? finishedLine(ended) : taskTable(ended, colors)));
    return ended.every(({ status }) => status === "completed") ? EXIT.ok : EXIT.taskFailed;
  },
});

const finishedLine = (tasks: readonly TaskView[]): string =>
  tasks.map(({ id }) => `Orchestrator finished task ${id}.`).join("\n");

async function reside({ open, signal }: CommandContext): Promise<Exit> {
  await using cadre = await open();
  await cadre.reside(signal);
  return EXIT.ok;
}
