// What an agent reads about a task that it has started.
import { tokenWords } from "../../domain/cost-words.ts";
import { statusWord } from "../../domain/status-words.ts";
import { hasEnded } from "../../domain/transitions.ts";
import type { TaskView } from "../../schema/index.ts";
import type { BackgroundShell } from "../bash/background-shells.ts";

const head = (task: TaskView): string[] => [
  `Agent: ${task.spec.definition.name}`,
  `Status: ${statusWord(task.status, "gencode")}`,
  `Turns: ${task.turns}`,
  `Tokens: ${tokenWords(task)}`,
];

export function taskText(task: TaskView): string {
  return hasEnded(task.status) ? endedText(task) : runningText(task);
}

function runningText(task: TaskView): string {
  const id = JSON.stringify(task.id);
  const why =
    task.interruption === null ? [] : [`Error: ${task.interruption}. It may go on only when a person says so.`];
  return [
    ...head(task),
    ...why,
    "",
    "Options:",
    `  - Wait longer: TaskOutput(task_id=${id}, timeout=60000)`,
    `  - Check status: TaskOutput(task_id=${id}, block=false)`,
    `  - Stop: TaskStop(task_id=${id})`,
  ].join("\n");
}

function endedText(task: TaskView): string {
  const { outcome, startedAt, endedAt } = task;
  const seconds = startedAt === null || endedAt === null ? 0 : Math.round((endedAt - startedAt) / 1000);
  const lines = [...head(task), `Duration: ${seconds}s`];
  if (outcome?.status === "completed") {
    const limits = outcome.recovered === null ? [] : [`Recovered: it was interrupted (${outcome.recovered.limit})`];
    return [...lines, ...limits, "", "Output:", outcome.answer].join("\n");
  }
  const why = outcome?.status === "failed" ? [`Error: ${outcome.reason}: ${outcome.message}`] : [];
  const answer = outcome?.answer ?? null;
  return [...lines, ...why, ...(answer === null ? [] : ["", "Output:", answer])].join("\n");
}

/** The same of a command that runs in the background. */
export function shellText({ id, command, exited, output }: BackgroundShell): string {
  const how =
    exited === null
      ? []
      : [`Exit: ${exited.kind === "exited" ? exited.code : exited.kind === "killed" ? exited.signal : exited.message}`];
  return [
    `Command: ${command}`,
    `Task ID: ${id}`,
    `Status: ${shellStatus(exited)}`,
    ...how,
    "",
    "Output:",
    output,
  ].join("\n");
}

function shellStatus(exited: BackgroundShell["exited"]): string {
  if (exited === null) return "still running";
  if (exited.kind === "killed") return "killed";
  return exited.kind === "exited" && exited.code === 0 ? "completed" : "failed";
}

export const startedText = (id: string, agent: string): string =>
  [
    `Started in the background.`,
    `Agent: ${agent}`,
    `Task ID: ${id}`,
    `You are told when it ends; TaskOutput(task_id="${id}") waits for it, TaskStop(task_id="${id}") stops it.`,
  ].join("\n");
