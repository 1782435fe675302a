import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { START_OPTIONS, StartArgs, startRequest } from "../start-options.ts";

export const command = defineCommand({
  usage: "start <agent> <prompt>",
  summary: "Queue a task. It runs when you say so: cadre work",
  operations: ["task.start"],
  options: START_OPTIONS,
  examples: ['cadre start writer "Give the README an example"', "cadre work"],
  args: StartArgs,
  async run({ open, out }, args) {
    await using cadre = await open();
    const task = await cadre.start({ ...(await startRequest(args, cadre)), dispatch: "manual" });
    out.data(task, () => `Task ${task.id} created for agent '${task.spec.definition.name}' and is now pending.`);
    return EXIT.ok;
  },
});
