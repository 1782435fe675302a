// How much a policy wants of a peer whose own tools we do not run, and what no peer could keep.
import { decideCall } from "../../domain/decide-call.ts";
import { isInScopes } from "../../domain/scopes.ts";
import { isRuled } from "../../domain/tool-rules.ts";
import type { Policy } from "../../schema/index.ts";
import { restricts } from "../driven/restricts.ts";
import type { Hold } from "./presets.ts";

export function holdFor(policy: Policy): Hold {
  if (policy.modes.includes("plan")) return "reading";
  const isFree =
    policy.modes.every((mode) => mode === "auto") &&
    isInScopes(".", policy.fs.write) &&
    policy.tools.every((layer) => !restricts(layer));
  return isFree ? "free" : "asking";
}

const READING_TOOLS = ["Read", "Glob", "Grep", "List"] as const;

/**
 * A peer asks before it changes something. It reads without a word: so a policy that closes any of the project to
 * reading cannot be kept where only the peer's own manners hold. The operating system keeps scopes, and knows nothing of
 * rules. Undefined: there is nothing against it.
 */
export function unkeepable(given: Policy, isConfined: boolean): string | undefined {
  const policy = isConfined ? { ...given, fs: { ...given.fs, read: ["."] } } : given;
  if (!isInScopes(".", policy.fs.read)) return "it may read only a part of the project";
  for (const tool of READING_TOOLS) {
    const { verdict, rule } = decideCall(policy, { tool, effect: "read", path: "." });
    // Whoever may use Glob sees what List shows: that a list of tools lacks it closes nothing.
    if (verdict !== "allow" && tool !== "List") return `it may not use ${tool} freely (${rule})`;
    if (policy.tools.some(({ ask, deny }) => isRuled([...ask, ...deny], tool, "stop")))
      return `there are rules on what ${tool} may see`;
  }
  return undefined;
}
