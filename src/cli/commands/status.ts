import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import { TaskStatus, type TaskView } from "../../schema/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { heldBackOf } from "../held-back.ts";
import { keepAwake } from "../keep-awake.ts";
import { watchTasks } from "../live/watch-tasks.ts";
import { wholeNumber } from "../numbers.ts";
import type { Colors } from "../render/colors.ts";
import { markdownTable } from "../render/markdown.ts";
import { type HeldBack, taskTable } from "../render/tasks.ts";

export const command = defineCommand({
  usage: "status",
  summary: "List the tasks, newest first",
  operations: ["task.list", "task.held-back"],
  options: {
    "--agent <name>": "only tasks of this agent",
    "--status <status...>": `only tasks that are ${TaskStatus.options.join(", ")}`,
    "--limit <n>": "how many at the most (50)",
    "--format <format>": "table, or markdown",
    "--watch": "go on, and show each change, until Ctrl-C",
  },
  examples: ["cadre status --watch --status running --status waiting", "cadre status --format markdown"],
  args: z.object({
    agent: z.string().optional(),
    status: z.array(TaskStatus).optional(),
    limit: wholeNumber(1, 1000).default(50),
    format: z.enum(["table", "markdown"]).default("table"),
    watch: z.boolean().default(false),
  }),
  async run({ open, out, streams, signal }, { agent, status, limit, format, watch }) {
    if (watch && out.isJson)
      throw invalidInput("--watch draws for people, and --json is for programs", {
        hint: "A program follows one task: cadre logs -f <task>, or the library's tail",
      });
    await using cadre = await open();
    let behind: HeldBack = new Map();
    const list = async () => {
      const { tasks } = await cadre.call("task.list", { agent, status, limit });
      behind = await heldBackOf(cadre, tasks);
      return tasks;
    };
    const render = (tasks: readonly TaskView[], colors: Colors) =>
      format === "markdown" ? markdownTable(tasks, (word) => cadre.statusWord(word)) : taskTable(tasks, colors, behind);
    const over = AbortSignal.any([signal, streams.unread]);
    if (watch) {
      using _awake = keepAwake(cadre);
      await watchTasks({ cadre, list, render }, streams.stdout, streams.env, over);
    } else out.data(await list(), render);
    return EXIT.ok;
  },
});
