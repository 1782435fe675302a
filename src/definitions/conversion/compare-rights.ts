// What one agent may do and another may not, by asking our own rules about uses of tools. Not by comparing texts: the
// same rights can be written in many ways, and other programs have fewer.
import { isDeepStrictEqual } from "node:util";
import { decideCall, isOffered, type ToolUse } from "../../domain/decide-call.ts";
import { givenIn } from "../../domain/given-tools.ts";
import { BASELINE, policyOf } from "../../domain/policy.ts";
import { isNamedIn } from "../../domain/tool-rules.ts";
import type { AgentDefinition, Decision, Policy } from "../../schema/index.ts";
import { probesFor, rulesOf } from "./probes.ts";

export const RIGHTS_FIELDS = [
  "tools",
  "permission_mode",
  "policy.fs",
  "policy.network",
  "workspace.allow_writes",
  "capabilities",
] as const;
export type RightsField = (typeof RIGHTS_FIELDS)[number];

/** By the field that makes the difference, what it is about: `Edit src/a.ts`. */
export interface RightsDifference {
  readonly wider: ReadonlyMap<RightsField, string>;
  readonly narrower: ReadonlyMap<RightsField, string>;
}

/** As if the user's settings allowed everything: what only they forbid is not the agent's own restriction. */
const WIDEST: Policy = { ...BASELINE, network: true };
const RANK = { deny: 0, ask: 1, allow: 2 } as const;
type Verdict = Decision["verdict"];

export function compareRights(original: AgentDefinition, other: AgentDefinition): RightsDifference {
  const wider = new Map<RightsField, string>();
  const narrower = new Map<RightsField, string>();
  const note = (into: Map<RightsField, string>, fields: readonly RightsField[], what: string) => {
    for (const field of fields) if (!into.has(field)) into.set(field, what);
  };
  const probes = probesFor(original, other);
  const suspects = suspectsFor(original, other);
  if (probes === undefined)
    note(
      wider,
      suspects.map(({ field }) => field),
      "there are more rules than can be compared",
    );
  const unsure = unsureRule(original, other);
  if (unsure !== undefined) note(wider, ["tools"], unsure);
  const [before, after] = [judge(original), judge(other)];
  for (const probe of probes ?? []) {
    const [was, is] = [before(probe), after(probe)];
    const into = RANK[is] > RANK[was] ? wider : narrower;
    if (was !== is && !suspects.every(({ field }) => into.has(field)))
      note(into, blame(suspects, probe, was), nameOf(probe));
  }
  return { wider, narrower };
}

/** Asking is only as good as the questions: a pattern that we do not understand has to be there on both sides. */
function unsureRule(original: AgentDefinition, other: AgentDefinition): string | undefined {
  const [before, after] = [rulesOf(original), rulesOf(other)];
  const odd = [...before.filter((rule) => !after.includes(rule)), ...after.filter((rule) => !before.includes(rule))];
  return odd.find((rule) => rule.includes("(") && !PLAIN_RULE.test(rule));
}

const PLAIN_RULE = /^[\w*-]+\([\w\s.,:;@=+/*?{}#&"'|<>-]*\)$/;

function judge(definition: AgentDefinition): (probe: ToolUse) => Verdict {
  const policy = policyOf(definition, WIDEST);
  const named = givenIn(definition.tools);
  return (probe) => {
    const { tool: name, effect } = probe;
    return isOffered(policy, { name, effect }, isNamedIn(named, name)) ? decideCall(policy, probe).verdict : "deny";
  };
}

/** A field that is not the same, and how the other agent would be judged if it were. */
interface Suspect {
  readonly field: RightsField;
  readonly judgeWithout: (probe: ToolUse) => Verdict;
}

const suspectsFor = (original: AgentDefinition, other: AgentDefinition): Suspect[] =>
  RIGHTS_FIELDS.filter((field) => !isSame(field, original, other)).map((field) => {
    return { field, judgeWithout: judge(withFieldOf(field, original, other)) };
  });

/** The fields that alone make up for the difference; if none does, all that are not the same. */
function blame(suspects: readonly Suspect[], probe: ToolUse, wanted: Verdict): RightsField[] {
  const enough = suspects.filter(({ judgeWithout }) => judgeWithout(probe) === wanted);
  return (enough.length > 0 ? enough : suspects).map(({ field }) => field);
}

function withFieldOf(field: RightsField, from: AgentDefinition, into: AgentDefinition): AgentDefinition {
  switch (field) {
    case "tools":
    case "permission_mode":
    case "capabilities":
      return { ...into, [field]: from[field] };
    case "policy.fs":
      return { ...into, policy: { ...into.policy, fs: from.policy.fs } };
    case "policy.network":
      return { ...into, policy: { ...into.policy, network: from.policy.network } };
    case "workspace.allow_writes":
      return { ...into, workspace: { ...into.workspace, allow_writes: from.workspace.allow_writes } };
  }
}

const isSame = (field: RightsField, one: AgentDefinition, other: AgentDefinition): boolean =>
  isDeepStrictEqual(withFieldOf(field, one, other), withFieldOf(field, other, other));

const nameOf = ({ tool, path, host, agent, commands }: ToolUse): string =>
  `${tool} ${path ?? host ?? agent ?? commands?.join("; ") ?? ""}`.trim();

/** Whether any use of a tool with such an effect is not simply denied. */
export function mayAtAll(definition: AgentDefinition, effects: readonly ToolUse["effect"][]): boolean {
  const verdict = judge(definition);
  const probes = probesFor(definition);
  return probes === undefined || probes.some((probe) => effects.includes(probe.effect) && verdict(probe) !== "deny");
}
