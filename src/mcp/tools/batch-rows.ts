// Several tasks in one call. What goes wrong with one of them is that one's row, and stops no other.
import * as z from "zod";
import { CadreError } from "../../errors/index.ts";
import { contextEnvelope, statusWord } from "../../operations/words.ts";
import type { JsonObject, TaskView } from "../../schema/index.ts";
import type { HostCall } from "../host-tool.ts";
import { pageOf } from "../pages.ts";
import type { Reply } from "../reply.ts";
import { inLine } from "../show/in-line.ts";
import { nonce } from "../show/nonce.ts";
import { answerOf, durationOf, errorOf } from "../show/outcome-words.ts";
import { waitForTasks } from "../wait-for-tasks.ts";
import { requestFor, waitOf, Workspace } from "./start-task.ts";

const MOST = 100;

/** As in a file for `cadre batch`. */
const TaskRow = z.strictObject({
  agent: z.string().min(1).optional().describe("who does it"),
  prompt: z.string().min(1).describe("what is to be done"),
  inputs: z.looseObject({}).optional().describe("what the agent declares as its inputs"),
  description: z.string().optional().describe("a few words for people who look at the result"),
  backend: z.string().min(1).optional().describe("run it on this backend"),
  workspace: Workspace.optional(),
});
export const TaskRows = z.array(TaskRow).min(1).max(MOST);
type TaskRow = z.output<typeof TaskRow>;

interface BatchWishes {
  readonly background?: boolean | undefined;
  readonly wait_ms?: number | undefined;
}

type Started = { readonly task: TaskView } | { readonly refused: CadreError };

export async function runBatch(call: HostCall, rows: readonly TaskRow[], wishes: BatchWishes): Promise<Reply> {
  const started = await call.desk.queue(() => Promise.all(rows.map((row) => start(call, row, wishes.background))));
  const ids = started.flatMap((one) => ("task" in one ? [one.task.id] : []));
  const waitMs = wishes.background === true ? 0 : waitOf(call, wishes.wait_ms);
  const now = await waitForTasks(call, ids, { waitMs, untilAsked: false });
  const latest = new Map(now.map((view) => [view.id, view]));
  const room = Math.max(200, Math.floor(call.bounds.pageChars / rows.length));
  const data = started.map((one, index) =>
    "task" in one
      ? rowOf(call, index, latest.get(one.task.id) ?? one.task, room)
      : refusedRow(call, index, rows[index]?.agent ?? null, one.refused),
  );
  const next = `Each task_id can be given to ${call.manner.names.task_output}: for one that goes on, and for the rest of an output.`;
  return { text: [...data.map(rowText), next].join("\n\n"), data: { tasks: data, next } };
}

async function start(call: HostCall, row: TaskRow, background: boolean | undefined): Promise<Started> {
  const { agent, prompt, inputs, backend, workspace } = row;
  try {
    const wish = { agent, prompt, inputs, backend, workspace, background };
    const task = await call.cadre.start(await requestFor(call, wish));
    call.session.started(task.id);
    return { task };
  } catch (error) {
    if (CadreError.isInstance(error)) return { refused: error };
    throw error;
  }
}

function rowOf({ manner }: HostCall, index: number, task: TaskView, room: number): JsonObject {
  const answer = answerOf(task);
  const page = answer === null ? null : pageOf(answer, 0, room);
  return {
    task_index: index,
    agent: task.spec.definition.name,
    status: statusWord(task.status, manner.dialect),
    error: errorOf(task),
    ...(task.outcome?.status === "completed" && task.outcome.recovered !== null
      ? { recovered: task.outcome.recovered.limit }
      : {}),
    output: page?.text ?? null,
    duration_ms: durationOf(task),
    task_id: task.id,
    session_id: task.spec.session,
    next_cursor: page?.next ?? null,
  };
}

const refusedRow = (
  { manner }: HostCall,
  index: number,
  agent: string | null,
  { message, hint }: CadreError,
): JsonObject => ({
  task_index: index,
  agent,
  status: statusWord("failed", manner.dialect),
  error: hint === undefined ? message : `${message}. ${hint}`,
  output: null,
  duration_ms: 0,
  task_id: null,
  session_id: null,
  next_cursor: null,
});

function rowText({ output, ...rest }: JsonObject): string {
  const lines = Object.entries(rest).map(([name, value]) => `${name}: ${inLine(value)}`);
  const source = `task:${inLine(rest["task_id"])}`;
  return typeof output === "string"
    ? [...lines, contextEnvelope({ source, isTrusted: false, text: output }, nonce())].join("\n")
    : lines.join("\n");
}
