import * as z from "zod";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { resolveTask } from "../resolve-task.ts";

export const command = defineCommand({
  usage: "send <task> <text>",
  summary: "Send a message to an agent that is at work. It hears it at its next turn",
  operations: ["task.find", "task.send"],
  args: z.object({ task: z.string(), text: z.string() }),
  async run({ open, out }, { task, text }) {
    await using cadre = await open();
    const sent = await cadre.call("task.send", { task: await resolveTask(cadre, task), text });
    out.data(sent, () => `sent to ${sent.task.id}`);
    return EXIT.ok;
  },
});
