// What an agent's definition would let happen, and what of it goes beyond what a person has seen.
import { type AgentDefinition, type Effect, Json, type Network } from "../schema/index.ts";
import type { Pin, Rights } from "../schema/pin.ts";
import { agentKey } from "./agent-names.ts";
import { canonicalJson } from "./canonical-json.ts";
import { decideCall } from "./decide-call.ts";
import { givenIn } from "./given-tools.ts";
import { type WantedServer, wantedServers } from "./mcp-servers.ts";
import { launcherWords } from "./package-launchers.ts";
import { BASELINE, coversHost, opensItsTree, opensMore, ruleFor } from "./policy.ts";
import { isWithin } from "./scopes.ts";
import { DELEGATION_TOOLS } from "./tool-names.ts";

/** What a definition names that a person must have seen: programs first, which are started whatever the agent does. */
interface Seen {
  /** All of it, for the hash. */
  readonly what: Json;
  readonly words: string;
}

function thingsOf(definition: AgentDefinition): Seen[] {
  const { command, completion } = definition;
  const programs = completion.gates.flatMap((gate) => ("command" in gate ? [asProgram("gate", gate.command)] : []));
  return [
    ...(command === undefined ? [] : [asProgram("command", command)]),
    ...programs,
    ...wantedServers(definition, {}).map(asServer),
    ...proposalOf(definition),
  ];
}

const asProgram = (as: "command" | "gate", argv: readonly string[]): Seen => ({
  what: { as, argv: [...argv] },
  words: `${as === "gate" ? "runs as a gate" : "runs"}: ${argv.map(quoted).join(" ")}`,
});

function asServer({ name, server }: WantedServer): Seen {
  if (server === null) return { what: { as: "mcp", name }, words: `uses an MCP server of yours: ${name}` };
  if ("url" in server) {
    const headers = Object.keys(server.headers);
    const sent = headers.length === 0 ? "" : `, and sends it ${headers.join(", ")}`;
    return {
      what: { as: "mcp", name, url: server.url, headers: server.headers },
      words: `asks the MCP server ${name}: ${server.url}${sent}`,
    };
  }
  const { command, args, env, cwd = null } = server;
  const told = Object.entries(env).map(([variable, value]) => `${variable}=${quoted(value)}`);
  return {
    what: { as: "mcp", name, command, args, env, cwd },
    words: `runs as the MCP server ${name}: ${[...told, ...[command, ...args].map(quoted)].join(" ")}${launcherWords(command, args)}`,
  };
}

/** What an agent has written counts only as a whole: a person has seen just this, or nothing of it. */
function proposalOf(definition: AgentDefinition): Seen[] {
  const { proposed } = definition;
  if (proposed === undefined) return [];
  const whole = Json.parse(JSON.parse(JSON.stringify(definition)));
  return [{ what: { as: "proposal", whole }, words: `was written by ${proposed.by}, and nobody has agreed to it yet` }];
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
      givenIn(tools).some((rule) => DELEGATION_TOOLS.has(toolOf(ruleFor(rule)))),
    read: fs?.read ?? BASELINE.fs.read,
    write: fs?.write ?? (opensItsTree(workspace) ? ["."] : []),
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

const hashOf = ({ what }: Seen, sha256: Hash): string => sha256(canonicalJson(what));

export const pinOf = (definition: AgentDefinition, sha256: Hash): Pin => ({
  subject: `agent ${agentKey(definition.name)}`,
  programs: thingsOf(definition).map((one) => hashOf(one, sha256)),
  rights: rightsOf(definition),
});

/** Everything of a definition that a pin does not cover, in words. Nothing: it may run. */
export function beyondPin(definition: AgentDefinition, pin: Pin | undefined, sha256: Hash): string[] {
  const things = thingsOf(definition).filter((one) => pin?.programs.includes(hashOf(one, sha256)) !== true);
  return [...things.map(({ words }) => words), ...widened(rightsOf(definition), pin?.rights ?? AT_FIRST_SIGHT)];
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

/** What the first rights have and the second do not, in words. */
export function widened(now: Rights, before: Rights): string[] {
  const words: [label: string, more: readonly string[]][] = [
    ["tools", moreTools(asDecided(now), asDecided(before))],
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

/** Where nobody is asked, a rule that asks denies. */
const asDecided = (rights: Rights): Rights =>
  rights.mode === "denyUnasked" ? { ...rights, ask: [], deny: [...rights.deny, ...rights.ask] } : rights;

function moreTools(now: Rights, before: Rights): string[] {
  const isOpen = before.allow === null || before.allow.includes("*");
  const added = isOpen ? [] : [...unaskedMore(now, before), ...askedMore(now, before)];
  const freed = before.deny.filter(
    (rule) => !covers(now.deny, rule) && mayUse([...(now.allow ?? ["*"]), ...now.ask], rule),
  );
  const unasked = before.ask.filter(
    (rule) => !covers([...now.deny, ...now.ask], rule) && mayUse(now.allow ?? ["*"], rule),
  );
  return [...new Set([...added, ...freed, ...unasked])];
}

/** What it did not have, or had to ask for and need not any more. */
const unaskedMore = (now: Rights, before: Rights): readonly string[] =>
  (now.allow ?? ["*"]).filter(
    (rule) => !covers(before.allow ?? [], rule) && !(covers(before.ask, rule) && covers(now.ask, rule)),
  );

/** In an allowlist, to be asked about a tool is to have it. */
const askedMore = (now: Rights, before: Rights): readonly string[] =>
  now.allow === null ? [] : now.ask.filter((rule) => !covers([...(before.allow ?? []), ...before.ask], rule));

const mayUse = (given: readonly string[], rule: string): boolean =>
  given.some((one) => one === "*" || toolOf(one) === toolOf(rule) || toolOf(rule).includes("*"));

/** A scope that names a file which a wider one leaves closed is more than that one. */
const beyondScopes = (now: readonly string[], before: readonly string[]): string[] =>
  now.filter((scope) => !before.some((one) => one === scope || isWithin(scope, one)) || opensMore(scope, before));

function moreHosts(now: Network, before: Network): string[] {
  if (now === false || before === true) return [];
  if (now === true) return ["every host"];
  return now.filter((host) => before === false || !before.some((rule) => coversHost(rule, host)));
}
