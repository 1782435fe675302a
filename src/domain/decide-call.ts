// May this tool be called, now, with this input? Every answer names the rule that gave it.
import type { Decision, Effect, PermissionMode, Policy, ToolRules } from "../schema/index.ts";
import { closedBelow } from "./found-files.ts";
import { whyNotPassed } from "./not-passed.ts";
import { type IsHome, ownState } from "./own-state.ts";
import { coversAddress } from "./policy.ts";
import { protectedBy } from "./protected-paths.ts";
import { runsLater, whyRunLater } from "./run-later.ts";
import { isInScopes } from "./scopes.ts";
import { isRuled, parseRule, passedBy, type RuledUse, stoppedBy, wholeStop } from "./tool-rules.ts";

/** As the tool port has it, with the tool's name; paths are relative to the project. */
export interface ToolUse extends RuledUse {
  readonly port?: number | undefined;
  readonly showsAllBelow?: boolean | undefined;
  readonly effect: Effect;
  readonly isReadOnly?: boolean | undefined;
  readonly unproven?: string | undefined;
  readonly problem?: string | undefined;
}

type Verdict = Decision["verdict"];

/** With what somebody who is asked has to know, and cannot see from the call. */
export interface Judgement extends Decision {
  readonly why?: string;
}

/** What a mode says of an effect when no rule does. `delegate` is decided by rules, depth and budget. */
// prettier-ignore
const BY_MODE = {
  plan:        { read: "allow", write: "deny",  exec: "deny",  net: "allow", delegate: "allow", none: "allow" },
  denyUnasked: { read: "allow", write: "deny",  exec: "deny",  net: "deny",  delegate: "allow", none: "allow" },
  default:     { read: "allow", write: "ask",   exec: "ask",   net: "ask",   delegate: "allow", none: "allow" },
  acceptEdits: { read: "allow", write: "allow", exec: "ask",   net: "ask",   delegate: "allow", none: "allow" },
  auto:        { read: "allow", write: "allow", exec: "allow", net: "allow", delegate: "allow", none: "allow" },
} as const satisfies Record<PermissionMode, Record<Effect, Verdict>>;

const RANK: Record<Verdict, number> = { deny: 0, ask: 1, allow: 2 };

export interface CallPlace {
  /** Folders of our own state, besides those called `.cadre`. */
  readonly homes?: readonly string[];
  readonly isHome?: IsHome | undefined;
  /** What is written there comes into the project by a person only. */
  readonly isOwnTree?: boolean;
}

/**
 * The strictest of all that have a word on it. Of two that ask, what is run later comes first: whoever has agreed to a
 * rule that asks about every write has not agreed to this one.
 */
export function decideCall(policy: Policy, use: ToolUse, place: CallPlace = {}): Judgement {
  const { homes = [], isOwnTree = false } = place;
  if (use.problem !== undefined) return { verdict: "deny", rule: `input: ${use.problem}` };
  const grant = grantFor(policy, use);
  const words: Judgement[] = [
    isOwnTree ? null : byRunLater(policy, use),
    ...policy.tools.map((layer) => byLayer(layer, use)),
    byProtection(policy, use, homes),
    byState(policy, use, place),
    bySearch(policy, use),
    byScope(policy, use),
    ...byShown(policy, use),
    byNetwork(policy, use),
    ...policy.modes.map((mode) => byMode(policy, mode, use, grant)),
    bySpawn(policy, use, grant),
  ].filter((word) => word !== null);
  const strictest =
    words.length === 0 ? NOTHING_AGAINST_IT : words.reduce((a, b) => (RANK[b.verdict] < RANK[a.verdict] ? b : a));
  if (strictest.verdict === "allow") return words.find(({ rule }) => rule === grant) ?? strictest;
  if (strictest.verdict !== "ask" || !policy.modes.includes("denyUnasked")) return strictest;
  return { verdict: "deny", rule: `${strictest.rule}, and mode denyUnasked does not ask` };
}

const NOTHING_AGAINST_IT: Decision = { verdict: "allow", rule: "nothing is against it" };

function byLayer(layer: ToolRules, use: ToolUse): Decision | null {
  const { from, allow, ask, deny } = layer;
  const denied = stoppedBy(deny, use);
  if (denied.kind === "yes") return { verdict: "deny", rule: `${from}: deny ${denied.rule}` };
  const passed = allow === null ? null : passedBy(allow, use);
  if (allow !== null && passed?.kind === "no") return { verdict: "deny", rule: `${from}: ${whyNotPassed(allow, use)}` };
  const asked = stoppedBy(ask, use);
  if (asked.kind === "yes") return { verdict: "ask", rule: `${from}: ask ${asked.rule}` };
  const unsure = [denied, passed, asked].find((match) => match?.kind === "unsure");
  if (unsure?.kind !== "unsure") return null;
  return { verdict: "ask", rule: `${from}: ${unsure.rule}, and the command is not fully understood` };
}

function byProtection({ fs }: Policy, use: ToolUse, homes: readonly string[]): Decision | null {
  if (use.effect !== "write" || use.path === undefined) return null;
  const found = protectedBy(use.path, fs.write, homes);
  return found === undefined ? null : { verdict: "deny", rule: `protected: ${found}` };
}

function byState({ fs }: Policy, use: ToolUse, { homes, isHome }: CallPlace): Decision | null {
  if (use.effect !== "read" || use.path === undefined) return null;
  const found = ownState(fs.read, homes, isHome).at(use.path);
  if (found === undefined) return null;
  const instead = "what a task did is told by TaskOutput to who started it, and by `cadre show` to people";
  return { verdict: "deny", rule: `state: ${found} is Cadre's own, and not read as a file; ${instead}` };
}

/** Our own tools leave out what rules close. A search that is not ours is held to them by where it begins only. */
function bySearch({ tools }: Policy, { tool, path = ".", showsAllBelow = false }: ToolUse): Decision | null {
  if (!showsAllBelow || !closedBelow({ tools }, tool, path).isAny) return null;
  const isDenied = closedBelow({ tools: tools.map((layer) => ({ ...layer, ask: [] })) }, tool, path).isAny;
  const instead = "search a single file by Grep with its path, or use Read";
  const rule = `search: rules close files to ${tool} that may lie below ${path}, and it would show them; ${instead}`;
  return { verdict: isDenied ? "deny" : "ask", rule };
}

/** A rule of the user's own for this very file is a person's word; one for every file is none about this one. */
function byRunLater({ fs, grants }: Policy, use: ToolUse): Judgement | null {
  if (use.effect !== "write" || use.path === undefined) return null;
  const found = runsLater(use.path, fs.write);
  if (found === undefined) return null;
  const passed = passedBy(grants.filter(isExact), use);
  if (passed.kind === "yes") return { verdict: "allow", rule: `grant ${passed.rules.join(", ")}` };
  return {
    verdict: "ask",
    rule: `runs later: ${found}, which is written only where policy.fs.write names it, a person agrees, or in a tree of its own`,
    why: whyRunLater(found),
  };
}

const isExact = (rule: string): boolean => {
  const { spec } = parseRule(rule);
  return typeof spec === "string" && !/[*?[\]{}!]/.test(spec);
};

function byScope(policy: Policy, use: ToolUse): Decision | null {
  if (use.effect !== "read" && use.effect !== "write") return null;
  const scopes = policy.fs[use.effect];
  // A call that names no file may touch any: it fits only where the whole project is open.
  const path = use.path ?? ".";
  if (isInScopes(path, scopes)) return null;
  return { verdict: "deny", rule: `fs.${use.effect}: ${path} is outside of [${scopes.join(", ")}]` };
}

/** An edit shows lines of the file: those around it, or the nearest to what it did not find. So it reads, too. */
function byShown(policy: Policy, use: ToolUse): (Decision | null)[] {
  if (use.tool !== "Edit" || use.path === undefined) return [];
  const reading = { ...use, tool: "Read", effect: "read" } as const;
  return [
    ...policy.tools.map(({ from, ask, deny }) =>
      byLayer({ from, allow: null, ask: aboutFiles(ask), deny: aboutFiles(deny) }, reading),
    ),
    byScope(policy, reading),
  ];
}

const aboutFiles = (rules: readonly string[]): string[] => rules.filter((rule) => !parseRule(rule).isBare);

function byNetwork({ network }: Policy, use: ToolUse): Decision | null {
  if (use.effect !== "net" || network === true) return null;
  const isListed =
    network !== false &&
    use.host !== undefined &&
    network.some((rule) => coversAddress(rule, use.host ?? "", use.port));
  if (isListed) return null;
  return {
    verdict: "deny",
    rule: network === false ? "network: false" : `network: ${use.host ?? "no host"} is not listed`,
  };
}

function byMode(policy: Policy, mode: PermissionMode, use: ToolUse, grant: string | undefined): Decision {
  const verdict: Verdict = BY_MODE[mode][use.effect];
  const rule = `mode ${mode}`;
  if (verdict === "ask" && grant !== undefined) return { verdict: "allow", rule: grant };
  if (mode === "plan" && use.effect === "net" && use.isReadOnly === false) return { verdict: "deny", rule };
  if (mode !== "plan" || use.effect !== "exec") return { verdict, rule };
  if (use.isReadOnly !== true) return { verdict, rule: use.unproven === undefined ? rule : `${rule}: ${use.unproven}` };
  if (!readsEverything(policy)) return { verdict, rule: `${rule}: a command is not held to what may be read` };
  return { verdict: "allow", rule: `${rule}: it only reads` };
}

function bySpawn({ spawn }: Policy, use: ToolUse, grant: string | undefined): Decision | null {
  if (use.effect !== "delegate" || spawn === "allow") return null;
  return grant === undefined
    ? { verdict: "ask", rule: "require_approval.subagents" }
    : { verdict: "allow", rule: grant };
}

function grantFor({ grants }: Policy, use: ToolUse): string | undefined {
  const passed = passedBy(grants, use);
  return passed.kind === "yes" ? `grant ${passed.rules.join(", ")}` : undefined;
}

/** A command that only reads may read any file of the project: so nothing may be said against any. */
const readsEverything = ({ fs, tools }: Policy): boolean =>
  isInScopes(".", fs.read) &&
  tools.every(({ allow, ask, deny }) => !isRuled([...ask, ...deny], "Read", "stop") && showsEverything(allow));

/** A list that names a tool which shows files, but only for some of them. Without any it says nothing about files. */
function showsEverything(allow: readonly string[] | null): boolean {
  const tool = ["Read", "Grep"].find((name) => allow !== null && isRuled(allow, name, "pass"));
  return allow === null || tool === undefined || passedBy(allow, { tool }).kind === "yes";
}

/** A tool, before any use of it. */
export interface OfferedTool {
  readonly name: string;
  readonly effect: Effect;
}

/**
 * Whether a model is shown the tool at all: not where no use of it could be allowed. `isNamed`: the agent's own
 * definition names it; in mode `plan` that is what a shell needs, which then runs only what reads.
 */
export function isOffered(policy: Policy, { name, effect }: OfferedTool, isNamed: boolean): boolean {
  const isShut = policy.tools.some(
    ({ allow, deny }) => wholeStop(deny, name) !== undefined || (allow !== null && !isRuled(allow, name, "pass")),
  );
  if (isShut || (effect === "net" && policy.network === false)) return false;
  const isReadingShell = name === "Bash" && isNamed;
  return policy.modes.every((mode) => BY_MODE[mode][effect] !== "deny" || (mode === "plan" && isReadingShell));
}
