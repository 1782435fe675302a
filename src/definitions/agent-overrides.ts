// `agents.<name>` of a configuration: other values for fields of an agent that was found.
import { agentKey } from "../domain/agent-names.ts";
import { DEFAULT_SETTINGS } from "../domain/limits.ts";
import { rightsOf, widened } from "../domain/rights.ts";
import type { RegistryProblem } from "../ports/index.ts";
import { AgentDefinition, type Json, type JsonObject } from "../schema/index.ts";

export interface AgentOverride {
  readonly agent: string;
  readonly fields: JsonObject;
  /** Whether there is to be such an agent: disabled-agents.ts. */
  readonly enabled?: boolean | undefined;
  /** `file:line:column`. */
  readonly where: string;
  /** Whose word it is: a project's may not widen what is not its own. */
  readonly by: "project" | "user";
}

export interface Overridden {
  readonly definition: AgentDefinition;
  readonly problems: readonly RegistryProblem[];
}

type May = "widen" | "tighten";

/** Kept per definition: as long as its file is the same, so is what comes of it. */
export function overriding(overrides: readonly AgentOverride[]): (definition: AgentDefinition, may: May) => Overridden {
  const known = {
    widen: new WeakMap<AgentDefinition, Overridden>(),
    tighten: new WeakMap<AgentDefinition, Overridden>(),
  };
  return (definition, may) => {
    const found = known[may].get(definition) ?? apply(definition, overrides, may);
    known[may].set(definition, found);
    return found;
  };
}

function apply(definition: AgentDefinition, overrides: readonly AgentOverride[], may: May): Overridden {
  const problems: RegistryProblem[] = [];
  let current = definition;
  for (const { agent, fields, where } of overrides) {
    if (agentKey(agent) !== agentKey(definition.name)) continue;
    for (const [field, value] of Object.entries(fields)) {
      const next = AgentDefinition.safeParse(merge(current, { [field]: value }));
      const what = next.success ? objection(field, current, next.data, may) : next.error.issues[0]?.message;
      if (next.success && what === undefined) current = next.data;
      else problems.push({ source: where, message: `"${field}" of the agent "${agent}" stays as it is: ${what}` });
    }
  }
  return { definition: current, problems };
}

/** Maps are merged, everything else is replaced. */
function merge(below: unknown, above: Json): unknown {
  if (!isMap(below) || !isMap(above)) return above;
  const merged = Object.entries(above).map(([key, value]) => [key, merge(Reflect.get(below, key), value)]);
  return { ...below, ...Object.fromEntries(merged) };
}

const isMap = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The most that holds where nobody says. */
const LIMITS = {
  max_turns: DEFAULT_SETTINGS.maxTurns,
  timeout_mins: DEFAULT_SETTINGS.timeoutMs / 60_000,
  max_output_kb: DEFAULT_SETTINGS.maxOutputKb,
  max_tokens: Infinity,
  budget_usd: Infinity,
} as const satisfies Partial<Record<keyof AgentDefinition, number>>;

const RIGHTS: readonly string[] = ["tools", "permission_mode", "policy", "workspace"];

const isLimit = (field: string): field is keyof typeof LIMITS => Object.hasOwn(LIMITS, field);

/** Why a project may not have its way with somebody else's agent; undefined where it may. */
function objection(field: string, now: AgentDefinition, next: AgentDefinition, may: May): string | undefined {
  if (may === "widen") return undefined;
  if (isLimit(field)) {
    const most = now[field] ?? LIMITS[field];
    return (next[field] ?? LIMITS[field]) <= most ? undefined : `a project's file may not raise it above ${most}`;
  }
  const isElsewhere = next.workspace.mode !== now.workspace.mode || next.workspace.path !== now.workspace.path;
  if (!RIGHTS.includes(field) || isElsewhere) return "a project's file may only tighten agents that are not its own";
  const more = widened(rightsOf(next), rightsOf(now));
  return more.length === 0 ? undefined : `a project's file may not widen it (${more.join("; ")})`;
}
