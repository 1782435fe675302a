// An agent that somebody asks for in words of their own: a person, or a model that found it useful.
import { join } from "node:path";
import { agentKey } from "../../domain/agent-names.ts";
import { invalidInput } from "../../errors/index.ts";
import type { Registry } from "../../ports/index.ts";
import { AgentDefinition, type NewAgent, type ProposedBy } from "../../schema/index.ts";
import { writeAgentMarkdown } from "../own-format/write-agent.ts";
import { writeAgentFile } from "./create-agent.ts";
import type { Roots } from "./shown-path.ts";

const MAX_WAITING = 20;

export async function writeNewAgent(
  wish: NewAgent,
  proposed: ProposedBy,
  registry: Pick<Registry, "list" | "find">,
  roots: Roots,
): Promise<{ file: string }> {
  if (proposed !== null && roots.home === join(roots.userHome, ".cadre"))
    throw invalidInput("there is no project here to write it for", { hint: "Make one: cadre init" });
  const { agents } = await registry.list();
  // An agent that waits keeps its name from others: nobody's may be taken from them like that.
  const listed = agents.find(({ definition }) => agentKey(definition.name) === agentKey(wish.name));
  const other = listed ?? (await registry.find(wish.name));
  if (other !== undefined)
    throw invalidInput(`there is an agent of that name: ${other.source}`, { hint: "Choose another name." });
  const waiting = agents.filter(({ definition, trusted }) => definition.proposed !== undefined && !trusted);
  if (proposed !== null && waiting.length >= MAX_WAITING)
    throw invalidInput(`${waiting.length} agents wait for a person already`, { hint: "Ask them to look: cadre trust" });
  const definition = AgentDefinition.parse({ ...wish, ...(proposed === null ? {} : { proposed }) });
  return writeAgentFile(wish.name, writeAgentMarkdown(definition), roots);
}
