// A task as Yeet's ledger names it, with its summary.
import { hasEnded, savedAfter, statusWord } from "../../operations/words.ts";
import type { TaskView } from "../../schema/index.ts";
import { pageOf } from "../pages.ts";
import type { Reply } from "../reply.ts";
import { answerOf, errorOf, openQuestions, remarksOf } from "./outcome-words.ts";

export function yeetReply(task: TaskView, cursor: number, pageChars: number): Reply {
  const { id, number, spec, status } = task;
  const head = `${spec.definition.name}#${number} ${statusWord(status, "yeet")}`;
  const error = errorOf(task);
  const lines = [`${head}${savedWords(task)}`, ...(error === null ? [] : [error])];
  const answer = answerOf(task);
  if (answer !== null) {
    const { text, next, total } = pageOf(answer, cursor, pageChars);
    lines.push(text, ...(next === null ? [] : [`[${next} of ${total} characters. More: ${call(id, next)}]`]));
  }
  lines.push(...remarksOf(task));
  if (openQuestions(task).length > 0) lines.push("It waits for a person's answer: cadre inbox");
  if (!hasEnded(status)) lines.push(`Wait for it: ${call(id)}. Stop it: task_stop(task_id="${id}")`);
  return { text: lines.join("\n"), isError: status === "failed" };
}

/** One that was only saved by its last turn does not look like a clean success. */
const savedWords = ({ outcome }: TaskView): string =>
  outcome?.status === "completed" && outcome.recovered !== null ? ` (${savedAfter(outcome.recovered)})` : "";

const call = (id: string, cursor?: number): string =>
  `task_output(task_id="${id}"${cursor === undefined ? "" : `, cursor=${cursor}`})`;
