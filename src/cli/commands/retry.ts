import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { resolveTask } from "../resolve-task.ts";

export const command = defineCommand({
  usage: "retry <task>",
  summary: "Queue a failed, stopped or interrupted task again, as a new attempt",
  operations: ["task.find", "task.retry"],
  options: { "--backend <name>": "another of the backends that its agent names" },
  args: z.object({ task: z.string(), backend: z.string().optional() }),
  async run({ open, out }, { task, backend }) {
    await using cadre = await open();
    const queued = await cadre.call("task.retry", { task: await resolveTask(cadre, task), backend });
    await cadre.wakeWorker();
    const next = queued.task.spec.background ? ", in the background" : ". Run it: cadre work";
    out.data(queued, () => `${queued.task.id} is queued again${next}`);
    return EXIT.ok;
  },
});
