import type { RegisteredAgent, Registry, RegistryListing } from "../ports/index.ts";
import { settleNames } from "./settle-names.ts";

/** Several as one: of each name, the agent of the first registry that has it. */
export function joinRegistries(...registries: readonly Registry[]): Registry {
  const list = async (): Promise<RegistryListing> => {
    const listings = await Promise.all(registries.map((registry) => registry.list()));
    const offers = listings.flatMap(({ agents }) => agents.map((agent) => ({ agent, where: agent.source })));
    const { agents, problems } = settleNames(offers);
    return { agents, problems: [...listings.flatMap((listing) => listing.problems), ...problems] };
  };
  /** In order: those of lower rank need not even be read. */
  const find = async (name: string): Promise<RegisteredAgent | undefined> => {
    for (const registry of registries) {
      const found = await registry.find(name);
      if (found?.trusted === true) return found;
    }
    return undefined;
  };
  const watch = async (onChange: () => void, signal: AbortSignal): Promise<void> => {
    await Promise.all(registries.map(async (registry) => registry.watch?.(onChange, signal)));
  };
  return { list, find, watch };
}
