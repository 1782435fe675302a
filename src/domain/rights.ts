// What an agent's definition would let happen, and what of it goes beyond what a person has seen.
import type { AgentDefinition, Effect, Network } from "../schema/index.ts";
import type { Pin, Rights } from "../schema/pin.ts";
import { agentKey } from "./agent-names.ts";
import { canonicalJson } from "./canonical-json.ts";
import { decideCall } from "./decide-call.ts";
import { BASELINE, coversHost, ruleFor } from "./policy.ts";
import { isWithin } from "./scopes.ts";
import { DELEGATION_TOOLS } from "./tool-names.ts";

/** A program that a definition names: it is started by Cadre, whatever the agent does. */
export interface NamedProgram {
  readonly as: "command" | "gate";
  readonly argv: readonly string[];
}

function programsOf({ command, completion }: AgentDefinition): NamedProgram[] {
  const gates = completion.gates.flatMap((gate) =>
    "command" in gate ? [{ as: "gate", argv: gate.command } as const] : [],
  );
  return command === undefined ? gates : [{ as: "command", argv: command }, ...gates];
}

export function rightsOf({ permission_mode, tools, policy, workspace, capabilities }: AgentDefinition): Rights {
  const layer = Array.isArray(tools) ? { mode: "allowlist" as const, allow: tools, ask: [], deny: [] } : tools;
  const allow = layer?.mode === "allowlist" ? layer.allow : null;
  const { fs, network, env } = policy;
  return {
    mode: permission_mode,
    allow,
    ask: layer?.ask ?? [],
    deny: layer?.deny ?? [],
    // In a denylist too, a word for delegation is what gives it.
    delegates:
      capabilities.includes("orchestrator") ||
      (layer?.allow ?? []).some((rule) => DELEGATION_TOOLS.has(toolOf(ruleFor(rule)))),
    read: fs?.read ?? BASELINE.fs.read,
    write: fs?.write ?? (workspace.allow_writes ? ["."] : []),
    network: network ?? BASELINE.network,
    env: env?.allow ?? BASELINE.env.allow,
  };
}

/** What an agent of a trusted folder may have without anybody having seen it: it reads, and asks for the rest. */
const AT_FIRST_SIGHT: Rights = {
  mode: "default",
  allow: null,
  ask: [],
  deny: [],
  delegates: false,
  read: BASELINE.fs.read,
  write: [],
  network: BASELINE.network,
  env: BASELINE.env.allow,
};

type Hash = (text: string) => string;

const hashOf = ({ as, argv }: NamedProgram, sha256: Hash): string => sha256(canonicalJson({ as, argv: [...argv] }));

export const pinOf = (definition: AgentDefinition, sha256: Hash): Pin => ({
  subject: `agent ${agentKey(definition.name)}`,
  programs: programsOf(definition).map((program) => hashOf(program, sha256)),
  rights: rightsOf(definition),
});

/** Everything of a definition that a pin does not cover, in words. Nothing: it may run. */
export function beyondPin(definition: AgentDefinition, pin: Pin | undefined, sha256: Hash): string[] {
  const programs = programsOf(definition).filter((program) => pin?.programs.includes(hashOf(program, sha256)) !== true);
  return [
    ...programs.map(({ as, argv }) => `${as === "gate" ? "runs as a gate" : "runs"}: ${argv.map(quoted).join(" ")}`),
    ...widened(rightsOf(definition), pin?.rights ?? AT_FIRST_SIGHT),
  ];
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

/** What the first rights have and the second do not, in words. */
export function widened(now: Rights, before: Rights): string[] {
  const words: [label: string, more: readonly string[]][] = [
    ["tools", moreTools(now, before)],
    ["reads", beyondScopes(now.read, before.read)],
    ["writes", beyondScopes(now.write, before.write)],
    ["network", moreHosts(now.network, before.network)],
    ["environment", now.env.filter((name) => !before.env.includes(name))],
  ];
  return [
    ...(isFreer(now, before) ? [`permission mode: ${now.mode}`] : []),
    ...(now.delegates && !before.delegates ? ["delegates to other agents"] : []),
    ...words.filter(([, more]) => more.length > 0).map(([label, more]) => `${label}: ${more.join(", ")}`),
  ];
}

const RANK = { deny: 0, ask: 1, allow: 2 } as const;
const EFFECTS: readonly Effect[] = ["read", "write", "exec", "net"];

/** Modes have no order of their own: one is freer if it lets any effect pass more easily. */
const isFreer = (now: Rights, before: Rights): boolean =>
  EFFECTS.some((effect) => RANK[verdictOf(now, effect)] > RANK[verdictOf(before, effect)]);

function verdictOf({ mode, write, network }: Rights, effect: Effect): keyof typeof RANK {
  if ((effect === "write" && write.length === 0) || (effect === "net" && network === false)) return "deny";
  return decideCall({ ...BASELINE, network: true, modes: [mode] }, { tool: "any", effect }).verdict;
}

const toolOf = (rule: string): string => rule.split("(")[0] ?? rule;

/** Whether a list of rules speaks for all that one rule does. */
const covers = (rules: readonly string[], rule: string): boolean =>
  rules.includes("*") || rules.includes(rule) || rules.includes(toolOf(rule));

function moreTools(now: Rights, before: Rights): string[] {
  const isOpen = before.allow === null || before.allow.includes("*");
  const known = before.allow ?? [];
  const added = isOpen ? [] : (now.allow ?? ["*"]).filter((rule) => !covers(known, rule));
  const mayUse = (rule: string) =>
    now.allow === null || now.allow.some((one) => one === "*" || toolOf(one) === toolOf(rule));
  const freed = before.deny.filter((rule) => !covers(now.deny, rule) && mayUse(rule));
  const unasked = before.ask.filter((rule) => !covers([...now.deny, ...now.ask], rule) && mayUse(rule));
  return [...new Set([...added, ...freed, ...unasked])];
}

const beyondScopes = (now: readonly string[], before: readonly string[]): string[] =>
  now.filter((scope) => !before.some((one) => one === scope || isWithin(scope, one)));

function moreHosts(now: Network, before: Network): string[] {
  if (now === false || before === true) return [];
  if (now === true) return ["every host"];
  return now.filter((host) => before === false || !before.some((rule) => coversHost(rule, host)));
}
