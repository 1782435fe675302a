import { agentKey } from "../../domain/agent-names.ts";
import type { Attempt, AttemptScope, Claim, Delegated, Gate, GateVerdict } from "../../ports/index.ts";
import type { Outcome } from "../../schema/index.ts";

/** What has changed where an attempt works, as an agent is told it. */
export type ChangesOf = (attempt: Attempt) => Promise<string>;

const VERDICT = /^\W*VERDICT\W+(pass|fail)\b/gim;

/** Another agent that must be content. What it says last counts; silence is no consent. */
export const agentGate = (name: string, agent: string, changesOf: ChangesOf): Gate => ({
  name,
  async check(attempt, claim, scope) {
    const question = questionOn(attempt.task.spec.prompt, claim);
    const child =
      (await underWay(scope, agent, question)) ??
      (await scope.delegate({ agent, prompt: question + (await toldChanges(attempt, changesOf)) }));
    if (child.kind === "refused") return refuse(`the gate "${name}" could not be asked: ${child.message}`);
    const { outcome } = await scope.outcomeOf(child.child);
    if (outcome?.status !== "completed") return refuse(`the gate "${name}" did not come to a verdict`);
    return isContent(outcome) ? { passed: true, independent: false } : refuse(outcome.answer);
  },
});

/** The changes of an agent that can make none are somebody else's. */
const toldChanges = async (attempt: Attempt, changesOf: ChangesOf): Promise<string> =>
  attempt.task.spec.policy.modes.includes("plan") ? "" : `\n\nThe changes, as a diff:\n\n${await changesOf(attempt)}`;

/** The worker may have died while the same was being judged: nobody is asked twice. */
async function underWay(scope: AttemptScope, agent: string, question: string): Promise<Delegated | undefined> {
  const asked = (await scope.unfinishedChildren()).find(
    ({ spec }) => spec.prompt.startsWith(question) && agentKey(spec.definition.name) === agentKey(agent),
  );
  return asked === undefined ? undefined : { kind: "started", child: asked.id };
}

/** By its output, where the agent has one with a verdict, as our reviewer does; else by its last words. */
function isContent({ answer, output }: Extract<Outcome, { status: "completed" }>): boolean {
  if (typeof output === "object" && output !== null && !Array.isArray(output) && Object.hasOwn(output, "verdict"))
    return output["verdict"] === "approve" || output["verdict"] === "pass";
  return [...answer.matchAll(VERDICT)].at(-1)?.[1]?.toLowerCase() === "pass";
}

const questionOn = (task: string, { answer, exit }: Claim): string =>
  [
    "Judge whether this task was done. Look at the work itself, not only at what is said of it.",
    `The task:\n${task}`,
    `${exit === "message_user" ? "What the agent says to its user, who is not there to reply" : "What the agent says"}:\n${answer}`,
    "End with a line `VERDICT: pass`, or with what has to be changed and a line `VERDICT: fail`.",
  ].join("\n\n");

const refuse = (feedback: string): GateVerdict => ({ passed: false, reason: "gate_failed", feedback });
