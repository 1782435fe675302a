import { agentKey } from "../../domain/agent-names.ts";
import type { AttemptScope, Delegated, Gate, GateVerdict } from "../../ports/index.ts";
import type { Outcome } from "../../schema/index.ts";

const VERDICT = /^\W*VERDICT\W+(pass|fail)\b/gim;

/** Another agent that must be content. What it says last counts; silence is no consent. */
export const agentGate = (name: string, agent: string): Gate => ({
  name,
  async check({ task }, { answer }, scope) {
    const prompt = promptFor(task.spec.prompt, answer);
    const child = (await underWay(scope, agent, prompt)) ?? (await scope.delegate({ agent, prompt }));
    if (child.kind === "refused") return refuse(`the gate "${name}" could not be asked: ${child.message}`);
    const { outcome } = await scope.outcomeOf(child.child);
    if (outcome?.status !== "completed") return refuse(`the gate "${name}" did not come to a verdict`);
    return isContent(outcome) ? { passed: true, independent: false } : refuse(outcome.answer);
  },
});

/** The worker may have died while the same was being judged: nobody is asked twice. */
async function underWay(scope: AttemptScope, agent: string, prompt: string): Promise<Delegated | undefined> {
  const asked = (await scope.unfinishedChildren()).find(
    ({ spec }) => spec.prompt === prompt && agentKey(spec.definition.name) === agentKey(agent),
  );
  return asked === undefined ? undefined : { kind: "started", child: asked.id };
}

/** By its output, where the agent has one with a verdict, as our reviewer does; else by its last words. */
function isContent({ answer, output }: Extract<Outcome, { status: "completed" }>): boolean {
  if (typeof output === "object" && output !== null && !Array.isArray(output) && Object.hasOwn(output, "verdict"))
    return output["verdict"] === "approve" || output["verdict"] === "pass";
  return [...answer.matchAll(VERDICT)].at(-1)?.[1]?.toLowerCase() === "pass";
}

const promptFor = (task: string, answer: string): string =>
  [
    "Judge whether this task was done. Look at the work itself, not only at what is said of it.",
    `The task:\n${task}`,
    `What the agent says:\n${answer}`,
    "End with a line `VERDICT: pass`, or with what has to be changed and a line `VERDICT: fail`.",
  ].join("\n\n");

const refuse = (feedback: string): GateVerdict => ({ passed: false, reason: "gate_failed", feedback });
