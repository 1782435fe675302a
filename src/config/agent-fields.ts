// Fields of agents, as a configuration may set them. Strict, like the agents' own files.
import { agentKey } from "../domain/agent-names.ts";
import { nearest } from "../domain/nearest.ts";
import { AgentDefinition, AgentName, JsonObject } from "../schema/index.ts";
import { shown } from "./entries.ts";

/** Who it is and where it came from is not for others to say. */
const FIXED: ReadonlySet<string> = new Set(["name", "kind", "source", "proposed", "x"]);
const FIELDS = new Map(Object.entries(AgentDefinition.shape).filter(([field]) => !FIXED.has(field)));

export interface AgentFields {
  readonly fields: JsonObject;
  /** Whether there is to be such an agent at all: no field of its own. */
  readonly enabled?: boolean | undefined;
  readonly problems: readonly string[];
}

/** What a file says of one agent, and what is wrong with it. `others` are the agents that it named before. */
export function agentProblems(agent: string, given: unknown, others: ReadonlySet<string>): AgentFields {
  const where = `"agents.${agent}"`;
  const fields = JsonObject.safeParse(given);
  if (!AgentName.safeParse(agent).success || agent === "__proto__")
    return refuse(`${shown(agent)} cannot be an agent's name`);
  if (others.has(agentKey(agent))) return refuse(`${where} stands here twice`);
  if (!fields.success) return refuse(`${where} is a map: write fields of the agent below it`);
  const { enabled, ...own } = fields.data;
  const problems = Object.entries(own).flatMap(([field, value]) => {
    const schema = FIELDS.get(field);
    if (schema === undefined) return [unknown(field, where)];
    const parsed = schema.safeParse(value);
    return parsed.success ? [] : [`"${field}" of ${where}: ${parsed.error.issues[0]?.message ?? "does not fit"}`];
  });
  if (enabled === undefined) return { fields: own, problems };
  if (typeof enabled === "boolean") return { fields: own, enabled, problems };
  return { fields: own, problems: [...problems, `"enabled" of ${where} must be true or false, not ${shown(enabled)}`] };
}

const refuse = (problem: string): AgentFields => ({ fields: {}, problems: [problem] });

function unknown(field: string, where: string): string {
  if (FIXED.has(field)) return `"${field}" of ${where} cannot be set here`;
  const meant = nearest(field, ["enabled", ...FIELDS.keys()]);
  return `unknown key ${shown(field)} of ${where}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}
