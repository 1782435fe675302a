// May this tool be called, now, with this input? Every answer names the rule that gave it.
import type { Decision, Effect, PermissionMode, Policy, ToolRules } from "../schema/index.ts";
import { coversHost } from "./policy.ts";
import { isInScopes } from "./scopes.ts";

export interface ToolUse {
  readonly tool: string;
  readonly effect: Effect;
  /** The file that is read or written, relative to the project, where there is one. */
  readonly path?: string | undefined;
  /** The host that is called, where there is one. */
  readonly host?: string | undefined;
}

type Verdict = Decision["verdict"];

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

/** The strictest of all that have a word on it. */
export function decideCall(policy: Policy, use: ToolUse): Decision {
  const words: Decision[] = [
    ...policy.tools.map((layer) => byLayer(layer, use.tool)),
    byScope(policy, use),
    byNetwork(policy, use),
    ...policy.modes.map((mode) => ({ verdict: BY_MODE[mode][use.effect], rule: `mode ${mode}` })),
  ].filter((word) => word !== null);
  const strictest =
    words.length === 0 ? NOTHING_AGAINST_IT : words.reduce((a, b) => (RANK[b.verdict] < RANK[a.verdict] ? b : a));
  if (strictest.verdict !== "ask" || !policy.modes.includes("denyUnasked")) return strictest;
  return { verdict: "deny", rule: `${strictest.rule}, and mode denyUnasked does not ask` };
}

const NOTHING_AGAINST_IT: Decision = { verdict: "allow", rule: "nothing is against it" };

const names = (list: readonly string[], tool: string): boolean => list.includes(tool) || list.includes("*");

function byLayer(layer: ToolRules, tool: string): Decision | null {
  if (names(layer.deny, tool)) return { verdict: "deny", rule: `${layer.from}: deny ${tool}` };
  if (names(layer.ask, tool)) return { verdict: "ask", rule: `${layer.from}: ask ${tool}` };
  if (layer.allow !== null && !names(layer.allow, tool)) {
    return { verdict: "deny", rule: `${layer.from}: ${tool} is not among its tools` };
  }
  return null;
}

function byScope(policy: Policy, use: ToolUse): Decision | null {
  if (use.effect !== "read" && use.effect !== "write") return null;
  const scopes = policy.fs[use.effect];
  // A call that names no file may touch any: it fits only where the whole project is open.
  const path = use.path ?? ".";
  if (isInScopes(path, scopes)) return null;
  return { verdict: "deny", rule: `fs.${use.effect}: ${path} is outside of [${scopes.join(", ")}]` };
}

function byNetwork({ network }: Policy, use: ToolUse): Decision | null {
  if (use.effect !== "net" || network === true) return null;
  const isListed =
    network !== false && use.host !== undefined && network.some((rule) => coversHost(rule, use.host ?? ""));
  if (isListed) return null;
  return {
    verdict: "deny",
    rule: network === false ? "network: false" : `network: ${use.host ?? "no host"} is not listed`,
  };
}
