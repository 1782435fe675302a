// What an agent is told beside its task, in words.
import { notDoneAfter } from "../domain/summaries.ts";
import type { Exit, TaskSpec, TaskView } from "../schema/index.ts";

/** What an agent can run into that still leaves it its last words. */
export type Limit = "timeout" | "max_turns" | "budget" | "no_completion" | "backend_error";

const WHY: Readonly<Record<Limit, string>> = {
  timeout: "Your time is up",
  max_turns: "You have used all of your turns",
  budget: "Your budget is used up",
  no_completion: "You stopped without ending your task as you have to",
  backend_error: "Your conversation does not fit your window any more",
};

const LIMITS: readonly Limit[] = ["timeout", "max_turns", "budget", "no_completion", "backend_error"];

/** The limit that a grace message is about: the log has it nowhere else. */
export const limitIn = (message: string): Limit =>
  LIMITS.find((limit) => message.startsWith(WHY[limit])) ?? "no_completion";

/** For people: why the task failed. */
export const limitMessage = (limit: Limit, { maxTurns, timeoutMs }: TaskSpec["limits"]): string =>
  ({
    timeout: notDoneAfter(timeoutMs),
    max_turns: `not done after ${maxTurns} turns`,
    budget: "the next call does not fit the budget",
    no_completion: "the agent stopped without ending its task",
    backend_error: "the conversation does not fit the model's window, however it is shortened",
  })[limit];

/** For the one reply that is left. The task is said again: what was said before may not be in view any more. */
export function graceMessage(
  limit: Limit,
  task: string,
  exits: readonly Exit[],
  running: readonly TaskView[] = [],
): string {
  const how = exits.includes("complete_task")
    ? "Call `complete_task` now, with the best answer that you have."
    : exits.length > 0
      ? `Call one of ${exits.map((exit) => `\`${exit}\``).join(", ")} now.`
      : "Give the best answer that you have, now, as text.";
  return [
    `${WHY[limit]}. This is your last reply; no other tools are left.`,
    `${how} Say what is missing or not verified because you were interrupted.`,
    ...(running.length === 0
      ? []
      : [
          `Still running, and not waited for: ${running.map(({ id, spec }) => `${spec.definition.name} (${id})`).join(", ")}.`,
        ]),
    `Your task was: ${task}`,
  ].join("\n");
}

/** `isAnswer`: it may have been the beginning of the agent's answer. */
export const cutOff = (isAnswer: boolean): string =>
  `Your reply was cut off because it was too long. ${isAnswer ? GO_ON_WITH_IT : "Go on, in"} smaller steps; write long texts to files, where you can.`;

const GO_ON_WITH_IT =
  "If it was your answer, go on exactly where it broke off, and repeat nothing: both parts are joined as they are. If it was not, go on in";

export const ANOTHER_ATTEMPT =
  "Your task is not done, and you have another attempt at it, with all of your tools. Go on where you were.";
