import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import { askingForTrust } from "../ask-for-trust.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { EXIT, EXIT_FOR_STATUS, type Exit } from "../exit-codes.ts";
import { outcomeText, sumLine } from "../render/tasks.ts";
import { runAndWatch } from "../run-and-watch.ts";
import { spentWithChildren } from "../spent-below.ts";
import { ofChanges, START_OPTIONS, StartArgs, startRequest } from "../start-options.ts";
import { whatToRun } from "../what-to-run.ts";

const RunArgs = StartArgs.extend({ prompt: z.string().optional(), background: z.boolean().default(false) });
type RunArgs = z.output<typeof RunArgs>;

export const command = defineCommand({
  usage: "run [agent] <prompt>",
  summary: "Run an agent now, show what it does, and exit by how it ended",
  operations: ["task.start", "task.get", "approval.answer", "trust.grant", "agent.list", "session.list"],
  options: { ...START_OPTIONS, "-b, --background": "return at once; a worker of its own runs it" },
  examples: [
    'cadre run reviewer "Look at src/parser.ts"',
    'cadre run "Explain how the tests are organised"',
    'cadre run scanner --input target=src "Scan it"',
    "cadre run summarizer - < report.txt",
    "cadre run reviewer --diff",
    'cadre run --background scanner "Scan it" && cadre output @last --wait',
  ],
  args: RunArgs,
  async run(context, args) {
    if (args.background) return runInBackground(context, args);
    const isTerminal = context.streams.stdin.isTTY === true;
    await using cadre = await context.open({ askable: isTerminal ? "terminal" : "nobody" });
    const request = await requestOf(args, cadre, context.signal);
    const [task] = await askingForTrust(context, cadre, () => runAndWatch(context, cadre, [request]));
    if (task === undefined) return EXIT.bug;
    const sum = sumLine(task, await spentWithChildren(cadre, task));
    if (sum !== null) context.out.talk(context.out.colors.dim(sum));
    context.out.data(task, ({ outcome, status }) =>
      outcome === null ? `${task.id} is ${status}` : outcomeText(outcome),
    );
    return EXIT_FOR_STATUS[task.status];
  },
});

const requestOf = async (args: RunArgs, cadre: Cadre, signal: AbortSignal) =>
  startRequest({ ...args, ...(await whatToRun(cadre, args, ofChanges(args))) }, cadre, signal);

async function runInBackground({ open, out, signal }: CommandContext, args: RunArgs): Promise<Exit> {
  await using cadre = await open({ askable: "inbox" });
  const task = await cadre.start({ ...(await requestOf(args, cadre, signal)), background: true });
  await cadre.ensureWorker();
  out.data(task, () => task.id);
  return EXIT.ok;
}
