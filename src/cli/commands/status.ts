import * as z from "zod";
import { TaskStatus } from "../../schema/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { taskTable } from "../render/tasks.ts";

export const command = defineCommand({
  usage: "status",
  summary: "List the tasks, newest first",
  operations: ["task.list"],
  options: {
    "--agent <name>": "only tasks of this agent",
    "--status <status...>": `only tasks that are ${TaskStatus.options.join(", ")}`,
    "--limit <n>": "how many at the most (50)",
  },
  args: z.object({
    agent: z.string().optional(),
    status: z.array(TaskStatus).optional(),
    limit: z.coerce.number().default(50),
  }),
  async run({ open, out }, { agent, status, limit }) {
    await using cadre = await open();
    const { tasks } = await cadre.call("task.list", { agent, status, limit });
    out.data(tasks, () => taskTable(tasks, out.colors));
    return EXIT.ok;
  },
});
