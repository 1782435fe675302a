// Task, TaskOutput, TaskStop.
import * as z from "zod";
import { hasEnded } from "../../domain/transitions.ts";
import type { AttemptScope, Tool } from "../../ports/index.ts";
import { JsonObject } from "../../schema/index.ts";
import type { BackgroundShells } from "../bash/background-shells.ts";
import { defineTool, done, failed } from "../define-tool.ts";
import { childNamed, delegate, delegateAgain, type DelegationWish, planFor } from "./delegate.ts";
import type { DialectParts } from "./dialects.ts";
import { shellText, taskText } from "./task-text.ts";

const DEFAULT_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 600_000;
const STOP_WAIT_MS = 4_000;

const TaskInput = z.strictObject({
  subagent_type: z.string().min(1).describe("Which agent: one of those you were told of"),
  prompt: z.string().min(1).describe("The task for the agent to perform. It sees nothing else of your conversation"),
  description: z.string().optional().describe("A short (3-5 word) description of the task"),
  run_in_background: z.boolean().optional().describe("Returns a task_id at once instead of waiting for the result"),
  model: z
    .string()
    .min(1)
    .optional()
    .describe("Instead of the agent's own model: sonnet, opus, haiku, or provider/model"),
  max_turns: z.int().positive().optional().describe("Maximum turns before it is stopped"),
  resume: z.string().optional().describe("The task_id of an earlier task of yours, to go on with its conversation"),
  inputs: JsonObject.optional().describe("The agent's declared inputs, where it has any"),
});

export const taskTool = ({ scope, own, isBackground }: Pick<DialectParts, "scope" | "own" | "isBackground">): Tool => {
  const wish = (input: z.output<typeof TaskInput>): DelegationWish => ({
    agent: input.subagent_type,
    prompt: input.prompt,
    model: input.model,
    maxTurns: input.max_turns,
    resume: input.resume,
    inputs: input.inputs,
    background: input.run_in_background ?? isBackground(input.subagent_type),
  });
  return defineTool(
    {
      name: "Task",
      description:
        "Launch an agent to handle a task on its own. It works in its own context and returns only its final result. " +
        "Several calls in one turn run at the same time.",
      effect: "delegate",
      input: TaskInput,
      plan: ({ subagent_type: agent }) => planFor(own, agent),
      run: (input, call) => delegate(scope, wish(input), call),
      reattach: (input, call) => delegateAgain(scope, wish(input), call),
    },
    scope.signal,
  );
};

const OutputInput = z.strictObject({
  task_id: z.string().min(1).describe("The task to get output from"),
  block: z.boolean().optional().meta({ description: "Wait for the task to end", default: true }),
  timeout: z
    .int()
    .min(0)
    .max(LONGEST_WAIT_MS)
    .optional()
    .meta({ description: "Max wait time in milliseconds (max 600000)", default: DEFAULT_WAIT_MS }),
});

export const taskOutputTool = (scope: AttemptScope, shells: BackgroundShells): Tool =>
  defineTool(
    {
      name: "TaskOutput",
      description: "Retrieve the output of a task or a command that you started in the background.",
      effect: "none",
      input: OutputInput,
      plan: () => ({ ok: true, use: { effect: "none" } }),
      run: async ({ task_id: id, block = true, timeout = DEFAULT_WAIT_MS }) => {
        const shell = await shells.output(id, block ? timeout : 0, scope.signal);
        if (shell !== undefined) return { ...done(shellText(shell)), leftOut: shell.leftOut };
        const child = await childNamed(scope, id);
        if (child === undefined) return failed(unknown(id));
        const now = hasEnded(child.status) || block ? await scope.outcomeOf(child.id, timeout) : child;
        return { ok: now.status !== "failed", text: taskText(now) };
      },
      reattach: "again",
    },
    scope.signal,
  );

const StopInput = z.strictObject({ task_id: z.string().min(1).describe("The task to stop") });

export const taskStopTool = (scope: AttemptScope, shells: BackgroundShells): Tool =>
  defineTool(
    {
      name: "TaskStop",
      description: "Stop a task or a command that you started in the background, by its id.",
      effect: "none",
      input: StopInput,
      plan: () => ({ ok: true, use: { effect: "none" } }),
      run: async ({ task_id: id }) => {
        const shell = await shells.stop(id);
        if (shell !== undefined) return { ...done(shellText(shell)), leftOut: shell.leftOut };
        const child = await childNamed(scope, id);
        if (child === undefined) return failed(unknown(id));
        if (hasEnded(child.status)) return done(`It has ended already.\n${taskText(await scope.outcomeOf(child.id))}`);
        await scope.stopChild(child.id);
        return done(taskText(await scope.outcomeOf(child.id, STOP_WAIT_MS)));
      },
      reattach: "again",
    },
    scope.signal,
  );

const unknown = (id: string): string =>
  /^bash_\d/.test(id)
    ? `There is no command "${id}" any more, if there ever was: when Cadre is interrupted, commands in the background end, and what they wrote is gone. Start it again if you need it.`
    : `You have started no task "${id}". Use the id that you were given.`;
