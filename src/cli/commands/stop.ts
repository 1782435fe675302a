import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { resolveTask } from "../resolve-task.ts";

export const command = defineCommand({
  usage: "stop <task>",
  summary: "Stop a task and everything below it",
  operations: ["task.find", "task.stop"],
  args: z.object({ task: z.string() }),
  async run({ open, out }, { task }) {
    await using cadre = await open();
    const stopped = await cadre.call("task.stop", { task: await resolveTask(cadre, task) });
    out.data(stopped, ({ result }) =>
      result === "done" ? `${stopped.task.id} is stopped` : `${stopped.task.id} is being stopped`,
    );
    return EXIT.ok;
  },
});
