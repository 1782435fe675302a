import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { Cadre } from "../../app/index.ts";
import { savedAfter } from "../../operations/words.ts";
import { invalidInput } from "../../errors/index.ts";
import { Batch } from "../../operations/index.ts";
import type { FailReason, Json, TaskStatus, TaskView } from "../../schema/index.ts";
import { defineCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { startAndWatch } from "../live/start-and-watch.ts";
import { type Colors, paintStatus, SYMBOL } from "../render/colors.ts";
import { duration } from "../render/durations.ts";
import { safeLine } from "../render/safe-text.ts";
import { table } from "../render/table.ts";

export const command = defineCommand({
  usage: "batch [tasks]",
  summary: "Run the tasks of a JSON file at the same time, and keep whatever comes of each",
  operations: ["task.start-many", "task.get", "approval.answer"],
  options: { "--schema": "print the JSON Schema of such a file" },
  examples: ["cadre batch tasks.json", "cadre batch tasks.json --json", "cadre batch --schema > tasks.schema.json"],
  args: z.object({ tasks: z.string().optional(), schema: z.boolean().default(false) }),
  async run(context, { tasks: file, schema }) {
    const { out, streams, signal } = context;
    if (schema) {
      const published = z.toJSONSchema(Batch, { io: "input" });
      out.data(published, () => JSON.stringify(published, null, 2));
      return EXIT.ok;
    }
    const rows = await readRows(file);
    await using cadre = await context.open({ askable: streams.stdin.isTTY === true ? "terminal" : "nobody" });
    const start = async () => (await cadre.call("task.start-many", { tasks: rows })).tasks;
    const { tasks, settled } = await startAndWatch(context, cadre, start);
    const results = await Promise.all(settled.map((one, index) => resultOf(cadre, index, tasks[index], one)));
    out.data(results, (_, colors) => resultTable(results, rows, colors));
    if (results.every(({ status }) => status === "completed")) return EXIT.ok;
    return signal.aborted ? EXIT.cancelled : EXIT.taskFailed;
  },
});

type BatchRow = z.output<typeof Batch>[number];

const SHAPE_HINT = 'It holds a list, such as [{"agent": "hello", "prompt": "Greet me"}]. See: cadre batch --schema';

async function readRows(file: string | undefined): Promise<BatchRow[]> {
  if (file === undefined) throw invalidInput("this needs a file of tasks", { hint: "cadre batch <tasks.json>" });
  const parsed = Batch.safeParse(await readJson(file));
  if (parsed.success) return parsed.data;
  const what = parsed.error.issues.map(({ path, message }) => `${placeOf(path)}${message}`).join("; ");
  throw invalidInput(`${file}: ${what}`, { hint: SHAPE_HINT });
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw invalidInput(`${file} could not be read: ${why}`, { hint: SHAPE_HINT, cause: error });
  }
}

/** `[2].inputs: `, as one would write it to get there. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? ""
    : `${path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("")}: `;

interface Result {
  readonly task_index: number;
  readonly agent: string;
  readonly status: TaskStatus;
  readonly error: string | null;
  /** The limit after which its answer was only saved. */
  readonly recovered?: FailReason;
  readonly output: Json;
  readonly duration_ms: number;
}

async function resultOf(
  cadre: Cadre,
  index: number,
  admitted: TaskView | undefined,
  settled: PromiseSettledResult<TaskView>,
): Promise<Result> {
  if (admitted === undefined) throw new Error(`there is no task ${index}`);
  const task = settled.status === "fulfilled" ? settled.value : await cadre.call("task.get", { task: admitted.id });
  return {
    task_index: index,
    agent: task.spec.definition.name,
    status: task.status,
    error: settled.status === "rejected" ? String(settled.reason) : errorOf(task),
    ...(task.outcome?.status === "completed" && task.outcome.recovered !== null
      ? { recovered: task.outcome.recovered.limit }
      : {}),
    output: outputOf(task),
    duration_ms: task.startedAt === null ? 0 : (task.endedAt ?? task.updatedAt) - task.startedAt,
  };
}

function errorOf({ outcome, status, interruption }: TaskView): string | null {
  switch (outcome?.status) {
    case "completed":
      return null;
    case "failed":
      return `${outcome.reason}: ${outcome.message}`;
    case "cancelled":
      return `stopped by ${outcome.by} (${outcome.how})`;
    case undefined:
      return interruption ?? `it is ${status}`;
  }
}

/** What has the form that the agent promises, else its words. */
function outputOf({ outcome }: TaskView): Json {
  return outcome?.status === "completed" ? (outcome.output ?? outcome.answer) : (outcome?.answer ?? null);
}

const TASK_WIDTH = 36;
const RESULT_WIDTH = 60;

function resultTable(results: readonly Result[], rows: readonly BatchRow[], colors: Colors): string {
  return table(
    ["#", "AGENT", "STATUS", "TIME", "TASK", "RESULT"],
    results.map(({ task_index: index, agent, status, error, recovered, output, duration_ms: took }) => [
      String(index),
      agent,
      paintStatus(
        colors,
        status,
        `${SYMBOL[status]} ${status}${recovered === undefined ? "" : ` (${savedAfter({ limit: recovered })})`}`,
      ),
      duration(took),
      safeLine(rows[index]?.description ?? rows[index]?.prompt ?? "", TASK_WIDTH),
      safeLine(error ?? (typeof output === "string" ? output : JSON.stringify(output)), RESULT_WIDTH),
    ]),
  );
}
