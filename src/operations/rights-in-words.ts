import { decideCall } from "../domain/decide-call.ts";
import { BASELINE, policyOf } from "../domain/policy.ts";
import type { AgentDefinition, Decision, Effect, PermissionMode } from "../schema/index.ts";

const VERBS: readonly (readonly [Effect, string])[] = [
  ["read", "reads files"],
  ["write", "writes files"],
  ["exec", "runs commands"],
  ["net", "uses the network"],
];

const HOW: Readonly<Record<Decision["verdict"], string>> = {
  allow: "without asking",
  ask: "after asking",
  deny: "not at all",
};

/** What an agent may do, a line each. What the user's settings forbid is not in it. */
export function rightsInWords(definition: AgentDefinition): string[] {
  const policy = policyOf(definition, { ...BASELINE, network: true });
  const [layer] = policy.tools;
  const tools = layer?.allow === null || layer === undefined ? "every tool that may be given" : listed(layer.allow);
  const { network, fs } = policy;
  return [
    `tools: ${tools}`,
    ...(layer !== undefined && layer.ask.length > 0 ? [`asks before: ${listed(layer.ask)}`] : []),
    ...(layer !== undefined && layer.deny.length > 0 ? [`never: ${listed(layer.deny)}`] : []),
    ...VERBS.map(([effect, verb]) => `${verb}: ${howFor(definition.permission_mode, effect, policy.fs.write)}`),
    `may read: ${listed(fs.read)}`,
    `may write: ${listed(fs.write)}`,
    `network: ${definition.policy.network === undefined ? "as the settings say" : networkIn(network)}`,
    `variables: ${listed(policy.env.allow)}`,
    ...limitsOf(definition),
  ];
}

const listed = (words: readonly string[]): string => (words.length === 0 ? "nothing" : words.join(", "));

const networkIn = (network: boolean | readonly string[]): string =>
  network === true ? "every host" : network === false ? "none" : listed(network);

/** What the mode says, where nothing else does. */
function howFor(mode: PermissionMode, effect: Effect, writes: readonly string[]): string {
  if (effect === "write" && writes.length === 0) return HOW.deny;
  const policy = { ...BASELINE, network: true, modes: [mode] };
  return HOW[decideCall(policy, { tool: "any", effect, path: "." }).verdict];
}

const LIMITS = ["max_turns", "timeout_mins", "max_output_kb", "max_tokens", "budget_usd"] as const;

const limitsOf = (definition: AgentDefinition): string[] =>
  LIMITS.flatMap((field) => (definition[field] === undefined ? [] : [`${field}: ${definition[field]}`]));
