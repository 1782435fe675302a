import type { Registry, RegistryListing } from "../ports/index.ts";
import { findTrusted, settleNames } from "./settle-names.ts";

/** Several as one: of each name, the agent of the first registry that has it. */
export function joinRegistries(...registries: readonly Registry[]): Registry {
  const list = async (): Promise<RegistryListing> => {
    const listings = await Promise.all(registries.map((registry) => registry.list()));
    const offers = listings.flatMap(({ agents }) => agents.map((agent) => ({ agent, where: agent.source })));
    const { agents, problems } = settleNames(offers);
    return { agents, problems: [...listings.flatMap((listing) => listing.problems), ...problems] };
  };
  return { list, find: async (name) => findTrusted((await list()).agents, name) };
}
