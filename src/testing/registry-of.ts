import { agentKey } from "../domain/agent-names.ts";
import type { Registry } from "../ports/index.ts";
import { AgentDefinition } from "../schema/index.ts";
import type * as z from "zod";

/** Agents from code, trusted. */
export function registryOf(...definitions: readonly z.input<typeof AgentDefinition>[]): Registry {
  const agents = definitions.map((definition) => ({
    definition: AgentDefinition.parse(definition),
    source: "code",
    trusted: true,
  }));
  return {
    list: async () => ({ agents, problems: [] }),
    find: async (name) => agents.find(({ definition }) => agentKey(definition.name) === agentKey(name)),
  };
}
