import type { Attempt, Claim, Hold } from "../ports/index.ts";
import type { Evidence } from "../schema/index.ts";
import type { RunningParts } from "./parts.ts";

export type GatesVerdict =
  | { readonly passed: true; readonly evidence: Evidence }
  | { readonly passed: false; readonly reason: "invalid_output" | "gate_failed"; readonly feedback: string };

/** All gates that apply, in order, up to the first that is not content. */
export async function checkGates(
  parts: RunningParts,
  hold: Hold,
  attempt: Attempt,
  claim: Claim,
): Promise<GatesVerdict> {
  const gates = parts.gates.filter((gate) => gate.appliesTo(attempt.task));
  let isIndependent = gates.length > 0;
  for (const gate of gates) {
    const verdict = await gate.check(attempt.task, claim, attempt.workspace);
    const feedback = verdict.passed ? null : verdict.feedback;
    await parts.store.append(hold, [{ type: "gate.checked", gate: gate.name, passed: verdict.passed, feedback }]);
    if (!verdict.passed) return verdict;
    isIndependent &&= verdict.independent;
  }
  return { passed: true, evidence: gates.length === 0 ? "claimed" : isIndependent ? "verified" : "checked" };
}
