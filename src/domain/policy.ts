// Policies only narrow: what a child may do is what its definition asks for, less what its parent may not.
import type { AgentDefinition, Network, Policy, TapeStep, ToolRules, WorkspaceBinding } from "../schema/index.ts";
import { givenIn } from "./given-tools.ts";
import { protectedBy } from "./protected-paths.ts";
import { runsLater } from "./run-later.ts";
import { intersectScopes, isOwnTree } from "./scopes.ts";
import { DELEGATION_TOOLS } from "./tool-names.ts";
import { isNamedIn, parseRule } from "./tool-rules.ts";

/** A rule is a host, or `*.` and a domain. */
export function coversHost(rule: string, host: string): boolean {
  const [wanted, given] = [rule.toLowerCase(), host.toLowerCase()];
  return wanted === given || (wanted.startsWith("*.") && given.endsWith(wanted.slice(1)));
}

/** The same for a rule that may name a port, as in `localhost:8080`: then it covers that one only. */
export function coversAddress(rule: string, host: string, port: number | undefined): boolean {
  const [, name, wanted] = /^([^:]+):(\d+)$/.exec(rule) ?? [];
  if (name === undefined) return coversHost(rule, host);
  return coversHost(name, host) && Number(wanted) === port;
}

function intersectNetworks(a: Network, b: Network): Network {
  if (a === false || b === false) return false;
  if (a === true) return b;
  if (b === true) return a;
  const both = a.flatMap((x) => b.flatMap((y) => (coversHost(y, x) ? [x] : coversHost(x, y) ? [y] : [])));
  return both.length === 0 ? false : [...new Set(both)];
}

/** Whether a scope names a protected file, or one that is run later, which none of the others does. */
export const opensMore = (scope: string, others: readonly string[]): boolean =>
  protectedBy(scope, others) !== undefined || runsLater(scope, others) !== undefined;

export function intersectPolicies(a: Policy, b: Policy): Policy {
  return {
    modes: [...new Set([...a.modes, ...b.modes])],
    tools: uniqueRules([...a.tools, ...b.tools]),
    fs: { read: intersectScopes(a.fs.read, b.fs.read), write: intersectScopes(a.fs.write, b.fs.write) },
    network: intersectNetworks(a.network, b.network),
    env: { allow: a.env.allow.filter((name) => b.env.allow.includes(name)) },
    grants: a.grants.filter((rule) => b.grants.includes(rule)),
    spawn: a.spawn === "ask" || b.spawn === "ask" ? "ask" : "allow",
  };
}

/** A deep tree would otherwise repeat the user's layer once per level. */
const uniqueRules = (layers: readonly ToolRules[]): ToolRules[] => [
  ...new Map(layers.map((layer) => [JSON.stringify(layer), layer])).values(),
];

/**
 * What an agent's definition asks for. Where it is silent it gets the baseline's narrow default, not the
 * widest: reading the project, writing nothing, no network. `workspace.allow_writes` is what opens the
 * project for writing; the permission mode then says whether each write is asked. With `inherits`, which only a
 * user's own settings can say, the silent get whatever stands in `baseline`.
 */
export function policyOf(definition: AgentDefinition, baseline: Policy, inherits = false): Policy {
  const { policy, workspace } = definition;
  const unasked = inherits ? baseline.fs.write : [];
  return {
    modes: [definition.permission_mode],
    tools: [toolLayer(definition)],
    fs: {
      read: policy.fs?.read ?? baseline.fs.read,
      write: policy.fs?.write ?? (opensItsTree(workspace) && !inherits ? ["."] : unasked),
    },
    network: policy.network ?? baseline.network,
    env: { allow: policy.env?.allow ?? baseline.env.allow },
    grants: baseline.grants,
    spawn: baseline.spawn,
  };
}

export const opensItsTree = (workspace: WorkspaceBinding): boolean => workspace.allow_writes || isOwnTree(workspace);

/** The agents that a definition names one by one: whoever trusts it has seen them, and is not asked again. */
export function spawnGrants(definition: AgentDefinition): string[] {
  const { named, ask } = wishesOf(definition);
  return named.filter((rule) => {
    const { name, spec } = parseRule(rule);
    return name === "Task" && typeof spec === "string" && !/[*?[\]{}!]/.test(spec) && !ask.includes(rule);
  });
}

/** Nobody may delegate by a wildcard or by saying nothing: the layer denies what is not named. */
function toolLayer(definition: AgentDefinition): ToolRules {
  const { allow, ask, deny, named } = wishesOf(definition);
  const given = [...DELEGATION_TOOLS].filter((tool) => isNamedIn(named, tool));
  const isOpen = allow === null || allow.some((rule) => parseRule(rule).name.includes("*"));
  return {
    from: `agent ${definition.name}`,
    allow: allow === null ? null : [...allow, ...given.filter((tool) => !isNamedIn(allow, tool))],
    ask,
    deny: isOpen ? [...deny, ...[...DELEGATION_TOOLS].filter((tool) => !given.includes(tool))] : deny,
  };
}

interface ToolWishes extends Pick<ToolRules, "allow" | "ask" | "deny"> {
  /** What the definition has a word for, be it in a denylist, where `allow` is not asked. */
  readonly named: readonly string[];
}

function wishesOf({ tools, capabilities, tape }: AgentDefinition): ToolWishes {
  const byRole = capabilities.includes("orchestrator") ? [...DELEGATION_TOOLS] : [];
  const byTape = (tape ?? []).flatMap(delegatesIn).map((agent) => `Task(${agent})`);
  if (tools === undefined) return { allow: null, ask: [], deny: [], named: [...byRole, ...byTape] };
  const list = Array.isArray(tools) ? { mode: "allowlist" as const, allow: tools, ask: [], deny: [] } : tools;
  const given = givenIn(tools).map(ruleFor);
  const ask = list.ask.map(ruleFor);
  const deny = list.deny.map(ruleFor);
  const named = [...given, ...byRole, ...(list.mode === "denylist" || given.includes("*") ? byTape : [])];
  return { allow: list.mode === "allowlist" ? given : null, ask, deny, named };
}

/** Delegation is one thing to the policy, whatever a definition calls the tool that asks for it. */
export function ruleFor(name: string): string {
  if (name === "delegate_to_agent" || name === "spawn_subagent" || name === "glee_task" || name === "agent:*")
    return "Task";
  if (name === "request_review") return "Task(reviewer)";
  return name.startsWith("agent:") ? `Task(${name.slice("agent:".length)})` : name;
}

/** A tape says in its steps what it does. */
const delegatesIn = (step: TapeStep): string[] =>
  "delegate" in step ? [step.delegate] : "together" in step ? step.together.flatMap(delegatesIn) : [];

/** What no agent may exceed unless the user's own settings say more. */
export const BASELINE: Policy = Object.freeze({
  modes: [],
  tools: [],
  fs: { read: ["."], write: ["."] },
  network: false,
  env: { allow: ["PATH", "HOME", "LANG"] },
  grants: [],
  spawn: "allow",
});
