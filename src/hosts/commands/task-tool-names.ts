// What the server's tools are called, in whose words it speaks. A test holds it to the server.
import { invalidInput } from "../../errors/index.ts";

export interface TaskToolNames {
  readonly start: string;
  readonly output: string;
}

const NAMES: ReadonlyMap<string, TaskToolNames> = new Map([
  ["cadre", { start: "task", output: "task_output" }],
  ["glee", { start: "glee_task", output: "glee_task_output" }],
  ["gencode", { start: "Task", output: "TaskOutput" }],
  ["gemini", { start: "delegate_to_agent", output: "task_output" }],
  ["yeet", { start: "spawn_subagent", output: "task_output" }],
]);

export function taskToolNames(dialect: string): TaskToolNames {
  const names = NAMES.get(dialect);
  if (names === undefined)
    throw invalidInput(`there is no dialect called "${dialect}"`, {
      hint: `There are: ${[...NAMES.keys()].join(", ")}`,
    });
  return names;
}
