import { decideCall, isOffered } from "../domain/decide-call.ts";
import { BASELINE, policyOf } from "../domain/policy.ts";
import { isNamedIn } from "../domain/tool-rules.ts";
import type { AgentDefinition, Decision, Effect, Policy } from "../schema/index.ts";

/** By one tool that stands for its kind: what holds for it holds for the others. */
const VERBS: readonly (readonly [Effect, readonly string[], string])[] = [
  ["read", ["Read", "Grep", "Glob", "List"], "reads files"],
  ["write", ["Edit", "Write"], "writes files"],
  ["exec", ["Bash"], "runs commands"],
  ["net", ["WebFetch", "WebSearch", "HttpRequest"], "uses the network"],
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
    ...VERBS.map(([effect, names, verb]) => `${verb}: ${howFor(policy, effect, names)}`),
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

/** The freest of all that such a tool may do. Rules for single commands or files are listed by themselves. */
function howFor(policy: Policy, effect: Effect, tools: readonly string[]): string {
  const path = effect === "write" ? policy.fs.write[0] : policy.fs.read[0];
  const host = Array.isArray(policy.network) ? policy.network[0] : undefined;
  const named = policy.tools.flatMap(({ allow }) => allow ?? []);
  const verdicts = tools
    .filter((name) => isOffered(policy, { name, effect }, isNamedIn(named, name)))
    .map((tool) => decideCall(policy, { tool, effect, path, host, commands: null }).verdict);
  return HOW[verdicts.includes("allow") ? "allow" : verdicts.includes("ask") ? "ask" : "deny"];
}

const LIMITS = ["max_turns", "timeout_mins", "max_output_kb", "max_tokens", "budget_usd"] as const;

const limitsOf = (definition: AgentDefinition): string[] =>
  LIMITS.flatMap((field) => (definition[field] === undefined ? [] : [`${field}: ${definition[field]}`]));
