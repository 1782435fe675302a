import { decideCall } from "../domain/decide-call.ts";
import { isOwnCall, whyNoOwnCall } from "../domain/own-calls.ts";
import { admissionRefused } from "../errors/index.ts";
import type { TaskView } from "../schema/index.ts";

const ANYBODY = "general-purpose";

/**
 * An agent that starts another one by a program, from inside of its attempt, needs the right that it would need for
 * its tools. Nobody can be asked on the way: what has to be asked is refused.
 */
export function checkDelegation(inside: TaskView | null, agents: readonly (string | undefined)[]): void {
  if (inside === null) return;
  const { policy, definition } = inside.spec;
  for (const agent of agents.map((name) => name ?? ANYBODY)) {
    if (isOwnCall(definition, agent)) throw admissionRefused("delegation", whyNoOwnCall(definition.name));
    const { verdict, rule } = decideCall(policy, { tool: "Task", effect: "delegate", agent });
    if (verdict === "allow") continue;
    throw admissionRefused(
      "delegation",
      `"${definition.name}" may not start "${agent}" (${rule})`,
      `Name it in the agent's tools, as Task(${agent}), or allow it in your own settings: permissions.allow`,
    );
  }
}
