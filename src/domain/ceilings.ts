// A host may itself be held to less than we would give: what it starts is held to no more.
import type { Ceiling, Policy } from "../schema/index.ts";
import { intersectPolicies } from "./policy.ts";

/** Both have no network: a host that is confined does not say whether it has one. */
export function underCeiling(policy: Policy, ceiling: Ceiling | undefined): Policy {
  if (ceiling === undefined) return policy;
  const closed: Policy = { ...policy, modes: [], tools: [], network: false };
  return intersectPolicies(policy, {
    ...closed,
    modes: ceiling === "read-only" ? ["plan"] : [],
    fs: { read: policy.fs.read, write: ceiling === "read-only" ? [] : ["."] },
  });
}
