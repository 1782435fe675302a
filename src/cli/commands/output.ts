import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT_FOR_STATUS } from "../exit-codes.ts";
import { keepAwake } from "../keep-awake.ts";
import { wholeNumber } from "../numbers.ts";
import { outcomeText, statusWords } from "../render/tasks.ts";
import { resolveTask } from "../resolve-task.ts";
import { stoppable } from "../stoppable.ts";
import { tellBeside } from "../tell-beside.ts";

export const command = defineCommand({
  usage: "output <task>",
  summary: "Print a task's answer, and exit by how it ended",
  operations: ["task.find", "task.wait"],
  options: {
    "--wait": "wait for it to end",
    "--wait-ms <n>": "how long to wait at the most, in milliseconds (600000)",
  },
  args: z.object({
    task: z.string(),
    wait: z.boolean().default(false),
    waitMs: wholeNumber(0, 600_000).optional(),
  }),
  run: (context, args) =>
    stoppable(context, async (cadre) => {
      const id = await resolveTask(cadre, args.task);
      using _awake = keepAwake(cadre);
      const waitMs = args.waitMs ?? (args.wait ? 600_000 : 0);
      const task = await cadre.call("task.wait", { task: id, waitMs });
      tellBeside(context.out, task);
      context.out.data(task, ({ outcome }) =>
        outcome === null ? `${task.id} is ${statusWords(task)}` : outcomeText(outcome),
      );
      return EXIT_FOR_STATUS[task.status];
    }),
});
