import type { AgentDefinition } from "../schema/index.ts";
import { agentKey } from "./agent-names.ts";
import { givenIn } from "./given-tools.ts";
import { parseRule } from "./tool-rules.ts";

const ONE_AGENT = /^agent:(.+)$/;

/**
 * Whether an agent would call itself although its definition does not name it, as `Task(lead)` or `agent:lead`: a list of
 * all agents is not meant so. Depth and budget hold for those that do.
 */
export function isOwnCall({ name, tools }: Pick<AgentDefinition, "name" | "tools">, agent: string): boolean {
  const own = agentKey(name);
  if (agentKey(agent) !== own) return false;
  return !givenIn(tools).some((text) => {
    const rule = parseRule(text);
    const named = rule.name === "Task" ? rule.spec : ONE_AGENT.exec(text.trim())?.[1];
    return typeof named === "string" && agentKey(named) === own;
  });
}

export const whyNoOwnCall = (name: string): string =>
  `"${name}" may not call itself: its definition does not name it among its tools, as Task(${name})`;
