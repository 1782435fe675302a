import type { Attempt, AttemptScope, Claim, Gate, GateVerdict } from "../ports/index.ts";
import type { Evidence } from "../schema/index.ts";
import type { Journal } from "./journal.ts";
import type { RunningParts } from "./parts.ts";

export type GatesVerdict =
  | { readonly passed: true; readonly evidence: Evidence }
  | { readonly passed: false; readonly reason: "invalid_output" | "gate_failed"; readonly feedback: string };

/** All gates that apply, in order, up to the first that is not content. */
export async function checkGates(
  parts: RunningParts,
  journal: Journal,
  attempt: Attempt,
  claim: Claim,
  scope: AttemptScope,
): Promise<GatesVerdict> {
  const gates = parts.gates(attempt.task, claim);
  if (gates.length > 0) await journal.intend(); // they may run programs
  let isIndependent = gates.length > 0;
  for (const gate of gates) {
    const verdict = await checked(gate, attempt, claim, scope);
    const feedback = verdict.passed ? null : verdict.feedback;
    await journal.append({ type: "gate.checked", gate: gate.name, passed: verdict.passed, feedback });
    if (!verdict.passed) return verdict;
    isIndependent &&= verdict.independent;
  }
  return { passed: true, evidence: gates.length === 0 ? "claimed" : isIndependent ? "verified" : "checked" };
}

/** A gate that cannot be run has not passed. */
async function checked(gate: Gate, attempt: Attempt, claim: Claim, scope: AttemptScope): Promise<GateVerdict> {
  try {
    return await gate.check(attempt, claim, scope);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { passed: false, reason: "gate_failed", feedback: `the gate "${gate.name}" could not be run: ${why}` };
  }
}
