// Policies only narrow: what a child may do is what its definition asks for, less what its parent may not.
import type { AgentDefinition, Network, Policy, ToolRules } from "../schema/index.ts";
import { intersectScopes } from "./scopes.ts";

/** A rule is a host, or `*.` and a domain. */
export function coversHost(rule: string, host: string): boolean {
  const [wanted, given] = [rule.toLowerCase(), host.toLowerCase()];
  return wanted === given || (wanted.startsWith("*.") && given.endsWith(wanted.slice(1)));
}

function intersectNetworks(a: Network, b: Network): Network {
  if (a === false || b === false) return false;
  if (a === true) return b;
  if (b === true) return a;
  const both = a.flatMap((x) => b.flatMap((y) => (coversHost(y, x) ? [x] : coversHost(x, y) ? [y] : [])));
  return both.length === 0 ? false : [...new Set(both)];
}

export function intersectPolicies(a: Policy, b: Policy): Policy {
  return {
    modes: [...new Set([...a.modes, ...b.modes])],
    tools: uniqueRules([...a.tools, ...b.tools]),
    fs: { read: intersectScopes(a.fs.read, b.fs.read), write: intersectScopes(a.fs.write, b.fs.write) },
    network: intersectNetworks(a.network, b.network),
    env: { allow: a.env.allow.filter((name) => b.env.allow.includes(name)) },
  };
}

/** A deep tree would otherwise repeat the user's layer once per level. */
const uniqueRules = (layers: readonly ToolRules[]): ToolRules[] => [
  ...new Map(layers.map((layer) => [JSON.stringify(layer), layer])).values(),
];

/**
 * What an agent's definition asks for. Where it is silent it gets the baseline's narrow default, not the
 * widest: reading the project, writing nothing, no network. `workspace.allow_writes` is what opens the
 * project for writing; the permission mode then says whether each write is asked.
 */
export function policyOf(definition: AgentDefinition, baseline: Policy): Policy {
  const { policy, workspace, tools } = definition;
  return {
    modes: [definition.permission_mode],
    tools: tools === undefined ? [] : [toolLayer(`agent ${definition.name}`, tools)],
    fs: {
      read: policy.fs?.read ?? baseline.fs.read,
      write: policy.fs?.write ?? (workspace.allow_writes ? ["."] : []),
    },
    network: policy.network ?? baseline.network,
    env: { allow: policy.env?.allow ?? baseline.env.allow },
  };
}

function toolLayer(from: string, tools: NonNullable<AgentDefinition["tools"]>): ToolRules {
  if (Array.isArray(tools)) return { from, allow: tools, ask: [], deny: [] };
  return { from, allow: tools.mode === "allowlist" ? tools.allow : null, ask: [], deny: tools.deny };
}

/** What no agent may exceed unless the user's own settings say more. */
export const BASELINE: Policy = Object.freeze({
  modes: [],
  tools: [],
  fs: { read: ["."], write: ["."] },
  network: false,
  env: { allow: ["PATH", "HOME", "LANG"] },
});
