// `task`: gives an agent something to do, or several agents at once. With Glee's parameters, and ours.
import * as z from "zod";
import { invalidInput } from "../../errors/index.ts";
import { hostTool, type ToolMaker } from "../host-tool.ts";
import { withAgents } from "./agent-lines.ts";
import { runBatch, TaskRows } from "./batch-rows.ts";
import { START_OPERATIONS, startTask, Workspace } from "./start-task.ts";

const text = z.string().min(1);
export const Inputs = z.looseObject({}).describe("what the agent declares as its inputs, by name");
const WaitMs = z
  .int()
  .min(0)
  .max(600_000)
  .describe("how long to wait for the result, in milliseconds; then you get a task_id. The host's own limit holds too");

const TaskInput = z.strictObject({
  description: text.optional().describe("short description of the task (3-5 words)"),
  prompt: text.optional().describe("the whole task: the agent sees nothing else of your conversation"),
  agent_name: text.optional().describe("which agent; without it, one is chosen"),
  agent_cli: text.optional().describe("run this CLI directly (codex, claude, gemini); ignored with agent_name"),
  background: z.boolean().optional().describe("return a task_id at once instead of waiting"),
  session_id: text.optional().describe("go on with the session of an earlier task"),
  model: text.optional().describe("instead of the agent's own model: an alias, or provider/model"),
  max_turns: z.int().positive().optional().describe("stop it after so many turns"),
  wait_ms: WaitMs.optional(),
  inputs: Inputs.optional(),
  workspace: Workspace.optional(),
  tasks: TaskRows.optional().describe("several tasks at once, instead of prompt: each ends by itself"),
});
type TaskInput = z.output<typeof TaskInput>;

/** Glee wants a description of every new task. */
const GleeInput = TaskInput.refine(
  ({ description, session_id: session, tasks }) => (description ?? session ?? tasks) !== undefined,
  { path: ["description"], message: "is needed, unless session_id is given" },
);

const ABOUT =
  "Give a sub-agent a task. It works on its own, in its own context, and returns only its result. " +
  "Use it for work that is separate from yours: exploring, reviewing, researching, building a part. " +
  "Several tasks run at the same time: make several calls, or give tasks. " +
  "A result that takes long comes as a task_id to fetch. Cancelling this call never stops the task.";

export const taskTool: ToolMaker = (agents, { dialect, names }) =>
  hostTool({
    name: names.task,
    description: withAgents(ABOUT, agents, names.agents),
    operations: START_OPERATIONS,
    effect: "works",
    input: dialect === "glee" ? GleeInput : TaskInput,
    async run(input, call) {
      const { prompt, tasks, ...rest } = input;
      if (tasks !== undefined) return runBatch(call, rowsAlone(input, tasks), rest);
      if (prompt === undefined) throw invalidInput(`${names.task}: prompt: is needed`, { hint: "Say what to do." });
      return startTask(call, {
        prompt,
        agent: input.agent_name,
        backend: input.agent_name === undefined ? input.agent_cli : undefined,
        background: input.background,
        resume: input.session_id,
        model: input.model,
        maxTurns: input.max_turns,
        waitMs: input.wait_ms,
        inputs: input.inputs,
        workspace: input.workspace,
      });
    },
  });

const WITH_ROWS: readonly string[] = ["tasks", "background", "wait_ms", "description"];

/** What is said beside `tasks` and has no meaning there is not ignored. */
function rowsAlone(input: TaskInput, tasks: NonNullable<TaskInput["tasks"]>): NonNullable<TaskInput["tasks"]> {
  const [odd] = Object.entries(input).filter(([key, value]) => value !== undefined && !WITH_ROWS.includes(key));
  if (odd !== undefined)
    throw invalidInput(`${odd[0]} cannot be given together with tasks`, { hint: "Say it in each of the tasks." });
  return tasks;
}
