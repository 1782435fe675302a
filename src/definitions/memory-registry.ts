import type { Registry } from "../ports/index.ts";
import type { AgentDefinition } from "../schema/index.ts";
import { findTrusted, settleNames } from "./settle-names.ts";

/** Agents from code: whoever runs the code trusts it. */
export function memoryRegistry(definitions: readonly AgentDefinition[]): Registry {
  const source = "code";
  const offers = definitions.map((definition) => ({ agent: { definition, source, trusted: true }, where: source }));
  const listing = settleNames(offers);
  return {
    list: async () => listing,
    find: async (name) => findTrusted(listing.agents, name),
  };
}
