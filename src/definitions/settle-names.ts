import { agentKey } from "../domain/agent-names.ts";
import type { RegisteredAgent, RegistryListing, RegistryProblem } from "../ports/index.ts";

export interface Offer {
  readonly agent: RegisteredAgent;
  /** Where it is, said so that a person knows it from the others. */
  readonly where: string;
}

/** Of each name, the first that is trusted. What nobody trusts neither hides nor is hidden. */
export function settleNames(offers: readonly Offer[]): RegistryListing {
  const winners = new Map<string, Offer>();
  const agents: RegisteredAgent[] = [];
  const problems: RegistryProblem[] = [];
  for (const offer of offers) {
    const { agent } = offer;
    const key = agentKey(agent.definition.name);
    const winner = agent.trusted ? winners.get(key) : undefined;
    if (winner !== undefined) problems.push(hiddenBy(winner, agent));
    else agents.push(agent);
    if (agent.trusted && winner === undefined) winners.set(key, offer);
  }
  return { agents, problems };
}

const hiddenBy = (winner: Offer, { definition, source }: RegisteredAgent): RegistryProblem => ({
  source,
  message: `the agent "${definition.name}" is hidden by "${winner.agent.definition.name}" in ${winner.where}`,
});

export const findTrusted = (agents: readonly RegisteredAgent[], name: string): RegisteredAgent | undefined =>
  agents.find(({ definition, trusted }) => trusted && agentKey(definition.name) === agentKey(name));
