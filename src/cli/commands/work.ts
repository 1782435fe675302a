import { z } from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { progress } from "../progress.ts";
import { taskTable } from "../render/tasks.ts";

export const command = defineCommand({
  usage: "work",
  summary: "Run what is queued, oldest first, until nothing is left",
  operations: ["task.list"],
  args: z.object({}),
  async run({ open, out, signal }) {
    await using cadre = await open();
    const { tasks: queued } = await cadre.call("task.list", { status: ["pending"], limit: 1000 });
    if (queued.length === 0) {
      out.data([], () => "No pending agent tasks found.");
      return EXIT.ok;
    }
    const show = progress(out, queued);
    const watching = queued.map(async (task) => {
      for await (const envelope of cadre.tail(task, { after: task.position - 1, signal })) show(envelope);
    });
    await cadre.work({ dispatch: ["auto", "manual"] }, signal);
    await Promise.all(watching);
    const tasks = await Promise.all(queued.map(({ id }) => cadre.call("task.get", { task: id })));
    out.data(tasks, () => taskTable(tasks, out.colors));
    return tasks.every(({ status }) => status === "completed") ? EXIT.ok : EXIT.taskFailed;
  },
});
