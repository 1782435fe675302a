// A task as Gemini CLI tells a parent of a sub-agent.
import { hasEnded } from "../../operations/words.ts";
import type { FailReason, TaskView } from "../../schema/index.ts";
import { pageOf } from "../pages.ts";
import type { Reply } from "../reply.ts";
import { answerOf, errorOf, openQuestions, remarksOf } from "./outcome-words.ts";

const MODE = {
  timeout: "TIMEOUT",
  max_turns: "MAX_TURNS",
  no_completion: "ERROR_NO_COMPLETE_TASK_CALL",
  budget: "ERROR",
  invalid_output: "ERROR",
  gate_failed: "ERROR",
  refused: "ERROR",
  backend_unavailable: "ERROR",
  backend_error: "ERROR",
  crashed: "ERROR",
  rate_limited: "ERROR",
} as const satisfies Record<FailReason, string>;

export function geminiReply(task: TaskView, cursor: number, pageChars: number): Reply {
  const name = task.spec.definition.name;
  if (!hasEnded(task.status)) return { text: runningText(task, name) };
  const { text, next, total } = pageOf(resultOf(task), cursor, pageChars);
  const more = next === null ? [] : ["", `[${next} of ${total} characters. More: ${output(task, `cursor=${next}`)}]`];
  const lines = [
    `Subagent '${name}' finished.`,
    `Termination Reason: ${modeOf(task)}`,
    "Result:",
    text,
    ...more,
    ...remarksOf(task),
  ];
  return { text: lines.join("\n"), isError: task.status === "failed" };
}

/** Unlike Gemini's own, one that was only saved by its last turn does not look like a clean success. */
function modeOf({ outcome }: TaskView): string {
  switch (outcome?.status) {
    case "completed":
      return outcome.recovered === null ? "GOAL" : MODE[outcome.recovered.limit];
    case "failed":
      return MODE[outcome.reason];
    case "cancelled":
    case undefined:
      return "ABORTED";
  }
}

const resultOf = (task: TaskView): string => [errorOf(task), answerOf(task)].filter((part) => part !== null).join("\n");

function runningText(task: TaskView, name: string): string {
  const state = openQuestions(task).length > 0 ? "waits for a person's answer (cadre inbox)" : "is still running";
  const why = task.interruption === null ? [] : [task.interruption];
  return [
    `Subagent '${name}' ${state}.`,
    ...why,
    `Wait for it: ${output(task)}. Stop it: task_stop(task_id="${task.id}")`,
  ].join("\n");
}

const output = ({ id }: TaskView, more?: string): string =>
  `task_output(task_id="${id}"${more === undefined ? "" : `, ${more}`})`;
