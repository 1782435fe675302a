// The first message of a conversation: what is known, in envelopes, and then the task.
import { type ContextPiece, contextEnvelope, historyText, promptEnvelope } from "../domain/envelopes.ts";
import { fillTemplate } from "../domain/templates.ts";
import type { Attempt } from "../ports/index.ts";

export function firstMessage(
  attempt: Attempt,
  context: readonly ContextPiece[],
  maxHistory: number,
  nonce: string,
): string {
  const { task, history } = attempt;
  const { session, prompt, definition, inputs } = task.spec;
  const past: ContextPiece[] =
    history.length === 0
      ? []
      : [{ source: `session:${session}`, isTrusted: false, text: historyText(history, maxHistory) }];
  const query = definition.query === undefined ? null : fillTemplate(definition.query, definition.inputs, inputs);
  const pieces = [...context, ...past];
  const asked = taskSentence(attempt, query ?? prompt);
  return pieces.length === 0
    ? asked
    : [...pieces.map((piece) => contextEnvelope(piece, nonce)), promptEnvelope(asked, nonce)].join("\n\n");
}

/** Where the agent may write, said with its task: its plan always, the folder where it is all that there is. */
function taskSentence({ task, own }: Attempt, asked: string): string {
  if (task.spec.policy.modes.includes("plan")) return asked; // it writes nothing
  const isOpen = task.spec.policy.fs.write.some((scope) => !own.scopes.includes(scope));
  // As a policy names them, and people: from the project where they lie in it.
  const [plan = own.plan, folder = own.folder] = own.scopes;
  const sentence = /[.!?]\s*$/.test(asked) ? asked.trimEnd() : `${asked.trimEnd()}.`;
  const only = isOpen ? "" : ` All file I/O must be within the '${folder}/' directory.`;
  return `Task: ${sentence} Your plan file is at ${plan}.${only}`;
}
