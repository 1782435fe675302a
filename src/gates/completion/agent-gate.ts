import type { Gate, GateVerdict } from "../../ports/index.ts";

const VERDICT = /^\W*VERDICT\W+(pass|fail)\b/gim;

/** Another agent that must be content. What it says last counts; silence is no consent. */
export const agentGate = (name: string, agent: string): Gate => ({
  name,
  async check({ task }, { answer }, scope) {
    const started = await scope.delegate({ agent, prompt: promptFor(task.spec.prompt, answer) });
    if (started.kind === "refused") return refuse(`the gate "${name}" could not be asked: ${started.message}`);
    const { outcome } = await scope.outcomeOf(started.child);
    if (outcome?.status !== "completed") return refuse(`the gate "${name}" did not come to a verdict`);
    const verdict = [...outcome.answer.matchAll(VERDICT)].at(-1)?.[1]?.toLowerCase();
    return verdict === "pass" ? { passed: true, independent: false } : refuse(outcome.answer);
  },
});

const promptFor = (task: string, answer: string): string =>
  [
    "Judge whether this task was done. Look at the work itself, not only at what is said of it.",
    `The task:\n${task}`,
    `What the agent says:\n${answer}`,
    "End with a line `VERDICT: pass`, or with what has to be changed and a line `VERDICT: fail`.",
  ].join("\n\n");

const refuse = (feedback: string): GateVerdict => ({ passed: false, reason: "gate_failed", feedback });
