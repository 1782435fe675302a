import { decideCall } from "../domain/decide-call.ts";
import { isOfferedTo } from "../domain/offered-tools.ts";
import { isOwnCall } from "../domain/own-calls.ts";
import type { Registry, Tool, ToolSet } from "../ports/index.ts";
import type { TaskView } from "../schema/index.ts";

/** Those that the policy could allow: a tool that is always refused only costs turns. */
export function offeredTools({ spec }: TaskView, tools: readonly Tool[]): Tool[] {
  const offered = tools.filter((tool) => isOfferedTo(spec, tool));
  const hasBackground = offered.some(({ name, effect }) => name === "Bash" || effect === "delegate");
  return hasBackground
    ? [...new Set([...offered, ...tools.filter(({ name }) => BACKGROUND_TOOLS.has(name))])]
    : offered.filter(({ name }) => !BACKGROUND_TOOLS.has(name));
}

/** They look after what runs in the background: so they come with whatever can start something there. */
const BACKGROUND_TOOLS: ReadonlySet<string> = new Set(["TaskOutput", "TaskStop"]);

/** Whatever the tool is called. */
export const canDelegate = (tools: readonly Tool[]): boolean => tools.some(({ effect }) => effect === "delegate");

/** What a delegating agent is told: the name and description of each that it may call. */
export async function agentsToCall(
  registry: Registry,
  { agentsFound }: Pick<ToolSet, "agentsFound">,
  { spec }: TaskView,
): Promise<readonly { readonly name: string; readonly description: string }[]> {
  const agents = agentsFound ?? (await registry.list()).agents;
  return agents
    .filter(({ trusted, definition }) => trusted && definition.capabilities.includes("subtask"))
    .map(({ definition }) => definition)
    .filter(({ name }) => !isOwnCall(spec.definition, name))
    .filter(
      ({ name: agent }) => decideCall(spec.policy, { tool: "Task", effect: "delegate", agent }).verdict !== "deny",
    )
    .map(({ name, description }) => ({ name, description }));
}
