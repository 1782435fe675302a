// `agents.<name>.enabled` of a configuration: agents that were found and are not to be used, wherever they come from.
import { agentKey } from "../domain/agent-names.ts";
import { agentDisabled } from "../errors/index.ts";
import type { RegisteredAgent, Registry, RegistryListing, RegistryProblem } from "../ports/index.ts";
import type { AgentOverride } from "./agent-overrides.ts";

/** A registry without them. They are named among its problems, and asking for one by name says why it is not there. */
export function withoutDisabled(registry: Registry, overrides: readonly AgentOverride[]): Registry {
  const words = disablingWords(overrides);
  if (words.size === 0) return registry;
  const wordOn = ({ definition }: RegisteredAgent): AgentOverride | undefined => words.get(agentKey(definition.name));
  const list = async (): Promise<RegistryListing> => {
    const { agents, problems } = await registry.list();
    const disabled = agents.flatMap((agent): RegistryProblem[] => {
      const word = wordOn(agent);
      return word === undefined ? [] : [{ source: agent.source, message: messageOf(agent, word) }];
    });
    return { agents: agents.filter((agent) => wordOn(agent) === undefined), problems: [...problems, ...disabled] };
  };
  const find = async (name: string): Promise<RegisteredAgent | undefined> => {
    const word = words.get(agentKey(name));
    // Before anything else is said of it: to trust it would not help.
    if (word !== undefined && (await registry.list()).agents.some((agent) => wordOn(agent) === word))
      throw refusal(name, word);
    const found = await registry.find(name);
    const other = found === undefined ? undefined : wordOn(found); // it has more than one name
    if (found !== undefined && other !== undefined) throw refusal(found.definition.name, other);
    return found;
  };
  return { ...registry, list, find };
}

/** By the key of the agent. Who may only tighten may disable and not enable again; the user has the last word. */
function disablingWords(overrides: readonly AgentOverride[]): ReadonlyMap<string, AgentOverride> {
  const words = new Map<string, AgentOverride>();
  for (const override of overrides) {
    const key = agentKey(override.agent);
    if (override.enabled === false) words.set(key, override);
    else if (override.enabled === true && override.by === "user") words.delete(key);
  }
  return words;
}

const messageOf = ({ definition: { name } }: RegisteredAgent, word: AgentOverride): string =>
  `the agent "${name}" is disabled by ${whose(word)} (${word.where}). ${toEnable(name, word)}`;

const refusal = (name: string, word: AgentOverride) =>
  agentDisabled(name, `${whose(word)} (${word.where})`, toEnable(name, word));

const whose = ({ by }: AgentOverride): string => `the ${by}'s settings`;

const toEnable = (name: string, { by }: AgentOverride): string =>
  by === "user"
    ? `To enable it, take "enabled: false" out there.`
    : `To enable it, set agents.${name}.enabled to true in the user's own settings.`;
