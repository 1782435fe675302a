// For a caller that was cut off before it was given an id: what was started by MCP, the newest first.
import { oneLine, statusWord } from "../../operations/words.ts";
import type { HostCall } from "../host-tool.ts";
import type { Reply } from "../reply.ts";
import { inLine } from "../show/in-line.ts";

const LOOKED_AT = 200;
const SHOWN = 20;
const PROMPT_MAX = 200;

export async function latestTasks({ cadre, manner }: HostCall): Promise<Reply> {
  const { tasks } = await cadre.call("task.list", { limit: LOOKED_AT });
  const shown = tasks
    .filter(({ spec }) => spec.origin.mouth === "mcp")
    .slice(0, SHOWN)
    .map(({ id, spec, status, createdAt }) => ({
      task_id: id,
      session_id: spec.session,
      agent: spec.definition.name,
      status: statusWord(status, manner.dialect),
      at: new Date(createdAt).toISOString(),
      prompt: oneLine(spec.prompt, PROMPT_MAX),
    }));
  const next = `${manner.names.task_output}(task_id=…) waits for one of them and shows it.`;
  const lines = shown.map(({ task_id, agent, status, at, prompt }) =>
    [task_id, agent, status, at, inLine(prompt)].join(" "),
  );
  const text = shown.length === 0 ? ["No task was started here yet."] : [...lines, next];
  return { text: text.join("\n"), data: { tasks: shown, ...(shown.length === 0 ? {} : { next }) } };
}
