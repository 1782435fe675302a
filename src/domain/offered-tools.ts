import type { AgentDefinition, Effect, TaskSpec } from "../schema/index.ts";
import { isOffered, type OfferedTool } from "./decide-call.ts";
import { isNamedIn } from "./tool-rules.ts";

/** Delegation is one thing to the policy, whatever the tool is called. */
export const ruledAs = (name: string, tool: { readonly effect: Effect } | undefined): string =>
  tool?.effect === "delegate" ? "Task" : name;

/** Whether the policy could allow it: a tool that is always refused only costs turns. */
export const isOfferedTo = (
  { policy, definition }: Pick<TaskSpec, "policy" | "definition">,
  { name, effect }: OfferedTool,
): boolean => isOffered(policy, { name: ruledAs(name, { effect }), effect }, isNamed(definition, name));

function isNamed({ tools }: AgentDefinition, name: string): boolean {
  if (tools === undefined) return false;
  return isNamedIn(Array.isArray(tools) ? tools : tools.allow, name);
}
