// Looking after a task that was started: its output, stopping it, telling it something.
import * as z from "zod";
import { hasEnded, statusWord } from "../../operations/words.ts";
import type { Reply } from "../reply.ts";
import { type HostCall, hostTool, type ToolMaker } from "../host-tool.ts";
import { showTask } from "../show/show-task.ts";
import { waitForTasks } from "../wait-for-tasks.ts";
import { findTask, isNone, refOf } from "./find-task.ts";
import { latestTasks } from "./latest-tasks.ts";
import { followTask } from "./start-task.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const LONGEST_TIMEOUT_MS = 600_000;
/** A worker first asks, then ends; then it has to be told of. */
const STOP_WAIT_MS = 10_000;

const id = z.string().min(1);
const cursor = z.int().min(0).optional().describe("where the answer goes on: next_cursor of the reply before");

const Which = {
  task_id: id.optional().describe("the task"),
  session_id: id.optional().describe("instead of task_id: the latest task of this session"),
};

const OutputInput = z.strictObject({
  ...Which,
  block: z.boolean().optional().meta({ description: "wait for the task to end", default: true }),
  timeout: z.int().min(0).max(LONGEST_TIMEOUT_MS).optional().meta({
    description: "how long to wait, in milliseconds; the host's limit holds too",
    default: DEFAULT_TIMEOUT_MS,
  }),
  cursor,
});

/** By GenCode's own descriptions and types. The cursor is ours: an answer may be longer than what a host takes. */
const GencodeOutputInput = z.strictObject({
  task_id: id.describe("The task ID to get output from"),
  block: z.boolean().optional().meta({ description: "Wait for task completion", default: true }),
  timeout: z
    .number()
    .min(0)
    .max(LONGEST_TIMEOUT_MS)
    .optional()
    .meta({ description: "Max wait time in milliseconds (max 600000)", default: DEFAULT_TIMEOUT_MS }),
  cursor: cursor.describe("Where the output goes on"),
});

export const taskOutputTool: ToolMaker = (_agents, { dialect, names }) =>
  hostTool({
    name: names.task_output,
    description:
      dialect === "gencode"
        ? "Retrieve output from a background task"
        : "Get the result of a task that you started, waiting for it if it goes on. Also the rest of a long answer, by cursor. Without an id it lists the latest tasks: for when a call was cut off before it gave you one.",
    operations: ["task.get", "task.wait", "task.list", "session.get", "approval.relay"],
    effect: "reads",
    input: dialect === "gencode" ? GencodeOutputInput : OutputInput,
    async run(input, call) {
      const { block = true, timeout = DEFAULT_TIMEOUT_MS } = input;
      if (isNone(input)) return latestTasks(call);
      const task = await findTask(call, refOf(input));
      if (hasEnded(task.status) || !block) return showTask(task, call, "looked", input.cursor);
      await call.desk.ensureWorker();
      const waitMs = Math.min(Math.floor(timeout), call.bounds.longestWaitMs);
      return followTask(call, task.id, { waitMs, occasion: "looked", cursor: input.cursor });
    },
  });

const StopInput = z.strictObject(Which);
const GencodeStopInput = z.strictObject({ task_id: id.describe("The task ID to stop") });

export const taskStopTool: ToolMaker = (_agents, { dialect, names }) =>
  hostTool({
    name: names.task_stop,
    description:
      dialect === "gencode"
        ? "Stop a running background task by its ID"
        : "Stop a task and everything below it. This, and not cancelling a call, ends its work.",
    operations: ["task.get", "task.stop", "task.wait", "session.get"],
    effect: "stops",
    input: dialect === "gencode" ? GencodeStopInput : StopInput,
    run: async (input, call) => stop(refOf(input), call),
  });

async function stop(ref: string, call: HostCall): Promise<Reply> {
  const task = await findTask(call, ref);
  if (hasEnded(task.status)) return showTask(task, call, "looked");
  // Its worker stops it: that takes a moment, and needs one that lives.
  await call.desk.queue(() => call.cadre.call("task.stop", { task: task.id }));
  const [now = task] = await waitForTasks(call, [task.id], {
    waitMs: Math.min(STOP_WAIT_MS, call.bounds.longestWaitMs),
    untilAsked: false,
  });
  return showTask(now, call, "looked");
}

const SendInput = z.strictObject({ ...Which, message: z.string().min(1).describe("what it should know") });

export const taskSendTool: ToolMaker = (_agents, { dialect, names }) =>
  hostTool({
    name: names.task_send,
    description: "Tell an agent something while it works. It hears it at its next turn.",
    operations: ["task.get", "task.send", "session.get"],
    effect: "works",
    input: SendInput,
    async run({ message, ...ref }, call) {
      const { id: task } = await findTask(call, refOf(ref));
      const sent = await call.cadre.call("task.send", { task, text: message });
      return {
        text: `sent to ${task}`,
        data: { sent: true, task_id: task, status: statusWord(sent.task.status, dialect) },
      };
    },
  });
