// Restrictions that are not about single calls: how far, how long, how much, and how it has to end.
import { isDeepStrictEqual } from "node:util";
import { BASELINE, coversHost } from "../../domain/policy.ts";
import { isWithin } from "../../domain/scopes.ts";
import type { AgentDefinition, Network } from "../../schema/index.ts";
import { mayAtAll } from "./compare-rights.ts";

export interface Bound {
  readonly field: string;
  readonly message: string;
  readonly isWider: boolean;
}

export const compareBounds = (original: AgentDefinition, other: AgentDefinition): Bound[] => [
  ...compareReach(original, other),
  ...compareLimits(original, other),
  ...compareEnding(original, other),
  ...compareRoles(original, other),
  ...compareWorkspaces(original, other),
  ...compareMemory(original, other),
];

/** Scopes hold commands, too, which no rule about a single call can see into. */
function compareReach(original: AgentDefinition, other: AgentDefinition): Bound[] {
  const bounds: Bound[] = [];
  const wider = (field: string, message: string) => void bounds.push({ field, message, isWider: true });
  const runs = mayAtAll(other, ["exec"]);
  const [reads, read] = [readsOf(other), readsOf(original)];
  if ((runs || mayAtAll(other, ["read"])) && reaches(reads, read)) wider("policy.fs", saying("read", reads, read));
  const [writes, write] = [writesOf(other), writesOf(original)];
  if ((runs || mayAtAll(other, ["write"])) && reaches(writes, write)) {
    wider(
      original.policy.fs?.write === undefined ? "workspace.allow_writes" : "policy.fs",
      saying("write", writes, write),
    );
  }
  const [calls, called] = [networkOf(other), networkOf(original)];
  if ((runs || mayAtAll(other, ["net"])) && calling(calls, called)) {
    wider("policy.network", `it could reach ${hostsIn(calls)} there, and only ${hostsIn(called)} here`);
  }
  const more = envOf(other).filter((name) => !envOf(original).includes(name));
  if (more.length > 0) wider("policy.env", `it would see these variables, too: ${more.join(", ")}`);
  return bounds;
}

const readsOf = ({ policy }: AgentDefinition): readonly string[] => policy.fs?.read ?? BASELINE.fs.read;
const writesOf = ({ policy, workspace }: AgentDefinition): readonly string[] =>
  policy.fs?.write ?? (workspace.allow_writes ? ["."] : []);
/** Where it says nothing, the user's settings decide: they may allow everything. */
const networkOf = ({ policy }: AgentDefinition): Network => policy.network ?? true;
const envOf = ({ policy }: AgentDefinition): readonly string[] => policy.env?.allow ?? BASELINE.env.allow;

const reaches = (scopes: readonly string[], within: readonly string[]): boolean =>
  scopes.some((scope) => !within.some((one) => one === scope || isWithin(scope, one)));

const saying = (verb: string, there: readonly string[], here: readonly string[]): string =>
  `it could ${verb} ${listed(there)} there, and only ${listed(here)} here`;

const listed = (scopes: readonly string[]): string => (scopes.length === 0 ? "nothing" : `[${scopes.join(", ")}]`);

function calling(now: Network, before: Network): boolean {
  if (now === false || before === true) return false;
  if (now === true || before === false) return true;
  return now.some((host) => !before.some((rule) => coversHost(rule, host)));
}

const hostsIn = (network: Network): string =>
  network === true ? "every host" : network === false ? "none" : listed(network);

const LIMITS = ["max_turns", "timeout_mins", "max_output_kb", "max_tokens", "budget_usd"] as const;

const compareLimits = (original: AgentDefinition, other: AgentDefinition): Bound[] =>
  LIMITS.flatMap((field): Bound[] => {
    const [was, is] = [original[field] ?? Infinity, other[field] ?? Infinity];
    if (was === is) return [];
    const there = is === Infinity ? "there is no such limit there" : `it is ${is} there`;
    return [{ field, message: `${was === Infinity ? "unlimited" : was} here; ${there}`, isWider: is > was }];
  });

function compareEnding({ completion: before }: AgentDefinition, { completion: after }: AgentDefinition): Bound[] {
  const bounds: Bound[] = [];
  const missing = before.gates.filter((gate) => !after.gates.some((one) => isDeepStrictEqual(one, gate)));
  if (missing.length > 0) {
    const message = `${missing.length === 1 ? "a gate" : `${missing.length} gates`} would no longer have to pass`;
    bounds.push({ field: "completion.gates", message, isWider: true });
  }
  if (before.exits !== undefined && !isDeepStrictEqual(before.exits, after.exits)) {
    const message = `it could end otherwise than by ${before.exits.join(", ")}`;
    bounds.push({ field: "completion.exits", message, isWider: true });
  }
  if (before.nudges !== after.nudges) {
    const message = `${before.nudges} here, ${after.nudges} there`;
    bounds.push({ field: "completion.nudges", message, isWider: false });
  }
  return bounds;
}

function compareRoles({ capabilities: before }: AgentDefinition, { capabilities: after }: AgentDefinition): Bound[] {
  const more = after.filter((role) => !before.includes(role));
  const less = before.filter((role) => !after.includes(role));
  const field = "capabilities";
  return [
    ...(more.length > 0 ? [{ field, message: `it could be started as ${more.join(", ")}, too`, isWider: true }] : []),
    ...(less.length > 0 ? [{ field, message: `it could not be started as ${less.join(", ")}`, isWider: false }] : []),
  ];
}

function compareWorkspaces({ workspace: before }: AgentDefinition, { workspace: after }: AgentDefinition): Bound[] {
  if (before.mode === after.mode && before.path === after.path) return [];
  const message = `${called(before)} here, ${called(after)} there`;
  // From the shared tree into one of its own nothing is won; every other move may be one into the open.
  const isWider = !(before.mode === "shared" && before.path === undefined && after.mode !== "custom");
  return [{ field: "workspace.mode", message, isWider }];
}

const called = ({ mode, path }: AgentDefinition["workspace"]): string =>
  path === undefined ? mode : `${mode} ${path}`;

const MEMORIES = ["none", "project", "user"] as const;

function compareMemory({ memory: before }: AgentDefinition, { memory: after }: AgentDefinition): Bound[] {
  if (before === after) return [];
  const isWider = MEMORIES.indexOf(after) > MEMORIES.indexOf(before);
  return [{ field: "memory", message: `${before} here, ${after} there`, isWider }];
}
