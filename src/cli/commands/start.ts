import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import type { TaskView } from "../../schema/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { ofChanges, START_OPTIONS, StartArgs, startRequest } from "../start-options.ts";
import { typedLine } from "../typed-line.ts";

export const command = defineCommand({
  usage: "start [agent] [prompt]",
  summary: "Queue a task. It runs when you say so: cadre work",
  operations: ["task.start", "session.list"],
  options: {
    ...START_OPTIONS,
    "--typed <line>": "the agent and the prompt as one text, for programs that hand on what was typed there",
  },
  examples: ['cadre start writer "Give the README an example"', "cadre work"],
  args: StartArgs.extend({ prompt: z.string().optional(), typed: z.string().optional() }),
  async run({ open, out, signal }, { typed, ...given }) {
    const { agent, prompt = ofChanges(given) } = typed === undefined ? given : typedLine(typed);
    if (agent === undefined || agent === "" || prompt === undefined)
      throw invalidInput("this needs an agent and a prompt", { hint: 'cadre start <agent> "What to do"' });
    const args = { ...given, agent, prompt };
    await using cadre = await open();
    const task = await cadre.start({ ...(await startRequest(args, cadre, signal)), dispatch: "manual" });
    out.data(task, startedLine);
    return EXIT.ok;
  },
});

/** Inside of an attempt nothing waits for `cadre work`. */
const startedLine = ({ id, spec: { definition, parent } }: TaskView): string =>
  `Task ${id} created for agent '${definition.name}'${
    parent === null ? " and is now pending." : `. The worker of this task runs it: cadre output ${id} --wait`
  }`;
