import { defineCommand } from "../command.ts";
import { EXIT, EXIT_FOR_STATUS } from "../exit-codes.ts";
import { outcomeText } from "../render/tasks.ts";
import { runAndWatch } from "../run-and-watch.ts";
import { START_OPTIONS, StartArgs, startRequest } from "../start-options.ts";

export const command = defineCommand({
  usage: "run <agent> <prompt>",
  summary: "Run an agent now, show what it does, and exit by how it ended",
  operations: ["task.start", "task.get", "approval.answer"],
  options: START_OPTIONS,
  examples: ['cadre run reviewer "Look at src/parser.ts"', 'cadre run scanner --input target=src "Scan it"'],
  args: StartArgs,
  async run(context, args) {
    const isTerminal = context.streams.stdin.isTTY === true;
    await using cadre = await context.open({ askable: isTerminal ? "terminal" : "nobody" });
    const [task] = await runAndWatch(context, cadre, [await startRequest(args)]);
    if (task === undefined) return EXIT.bug;
    context.out.data(task, ({ outcome, status }) =>
      outcome === null ? `${task.id} is ${status}` : outcomeText(outcome),
    );
    return EXIT_FOR_STATUS[task.status];
  },
});
