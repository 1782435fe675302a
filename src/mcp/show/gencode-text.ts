// A task in GenCode's words, line by line as its documents have them.
import { hasEnded, statusWord, tokenWords } from "../../operations/words.ts";
import type { TaskView } from "../../schema/index.ts";
import { pageOf } from "../pages.ts";
import type { Reply } from "../reply.ts";
import { inLine } from "./in-line.ts";
import { answerOf, durationOf, errorOf, openQuestions, remarksOf } from "./outcome-words.ts";

const head = (task: TaskView): string[] => [
  `Agent: ${task.spec.definition.name}`,
  `Status: ${statusWord(task.status, "gencode")}`,
  `Turns: ${task.turns}`,
  `Tokens: ${tokenWords(task)}`,
];

export const gencodeReply = (task: TaskView, cursor: number, pageChars: number): Reply => ({
  text: hasEnded(task.status) ? endedText(task, cursor, pageChars) : runningText(task),
  isError: task.status === "failed",
});

/** What `Task` returns when it was waited for: the answer and nothing else, if nothing went wrong. */
export function gencodeResult(task: TaskView, pageChars: number): Reply {
  const { outcome } = task;
  const isClean = outcome?.status === "completed" && outcome.recovered === null && remarksOf(task).length === 0;
  return isClean ? { text: paged(task, outcome.answer, 0, pageChars) } : gencodeReply(task, 0, pageChars);
}

export const gencodeStarted = ({ id, spec }: TaskView): Reply => ({
  text: [
    "Started in the background.",
    `Agent: ${spec.definition.name}`,
    `Task ID: ${id}`,
    `TaskOutput(task_id="${id}") waits for it, TaskStop(task_id="${id}") stops it.`,
  ].join("\n"),
});

function runningText(task: TaskView): string {
  const id = JSON.stringify(task.id);
  const asked = openQuestions(task).map(({ title }) => `Waits for a person (cadre inbox): ${inLine(title)}`);
  const died = task.interruption === null ? [] : [`Error: ${task.interruption}`];
  return [
    ...head(task),
    ...asked,
    ...died,
    "",
    "Options:",
    `  - Wait longer: TaskOutput(task_id=${id}, timeout=60000)`,
    `  - Check status: TaskOutput(task_id=${id}, block=false)`,
    `  - Stop: TaskStop(task_id=${id})`,
  ].join("\n");
}

function endedText(task: TaskView, cursor: number, pageChars: number): string {
  const { outcome } = task;
  const answer = answerOf(task);
  const lines = [...head(task), `Duration: ${Math.round(durationOf(task) / 1000)}s`];
  if (outcome?.status === "completed" && outcome.recovered !== null)
    lines.push(`Recovered: it was interrupted (${outcome.recovered.limit})`);
  const error = errorOf(task);
  if (error !== null) lines.push(`Error: ${error}`);
  lines.push(...remarksOf(task).map((remark) => `Note: ${remark}`));
  if (answer !== null) lines.push("", "Output:", paged(task, answer, cursor, pageChars));
  return lines.join("\n");
}

function paged({ id }: TaskView, answer: string, cursor: number, pageChars: number): string {
  const { text, next, total } = pageOf(answer, cursor, pageChars);
  if (next === null) return text;
  return `${text}\n\n[${next} of ${total} characters. More: TaskOutput(task_id="${id}", cursor=${next})]`;
}
