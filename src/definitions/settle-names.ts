import { agentKey } from "../domain/agent-names.ts";
import { CadreError } from "../errors/index.ts";
import type { RegisteredAgent, RegistryListing, RegistryProblem } from "../ports/index.ts";

export interface Offer {
  readonly agent: RegisteredAgent;
  /** Where it is, said so that a person knows it from the others. */
  readonly where: string;
}

/** Of each name, the first that is of a trusted folder. What nobody trusts neither hides nor is hidden. */
export function settleNames(offers: readonly Offer[]): RegistryListing {
  const winners = new Map<string, Offer>();
  const agents: RegisteredAgent[] = [];
  const problems: RegistryProblem[] = [];
  for (const offer of offers) {
    const { agent } = offer;
    const key = agentKey(agent.definition.name);
    const winner = takesPart(agent) ? winners.get(key) : undefined;
    if (winner !== undefined) problems.push(hiddenBy(winner, agent));
    else agents.push(agent);
    if (takesPart(agent) && winner === undefined) winners.set(key, offer);
  }
  return { agents, problems };
}

const takesPart = ({ trusted, unseen }: RegisteredAgent): boolean => trusted || unseen !== undefined;

const hiddenBy = (winner: Offer, { definition, source }: RegisteredAgent): RegistryProblem => ({
  source,
  message: `the agent "${definition.name}" is hidden by "${winner.agent.definition.name}" in ${winner.where}`,
});

/** The agent of that name, if it may run. One of which something is unseen is an error, not an absence. */
export function findTrusted(agents: readonly RegisteredAgent[], name: string): RegisteredAgent | undefined {
  const key = agentKey(name);
  const found = agents.find((agent) => takesPart(agent) && agentKey(agent.definition.name) === key);
  if (found?.unseen !== undefined) throw unseenAgent(found.definition.name, found.source, found.unseen);
  return found;
}

const unseenAgent = (name: string, source: string, what: readonly string[]) =>
  new CadreError(
    "agent.untrusted",
    `the agent "${name}" is new or has changed, and nobody has seen it yet: ${what.join("; ")} (${source})`,
    { hint: "Read it, then let it pass: cadre trust", facts: { agent: name, source, unseen: what.join("; ") } },
  );
