// The first message of a conversation: what is known, in envelopes, and then the task.
import { type ContextPiece, contextEnvelope, historyText, promptEnvelope } from "../domain/envelopes.ts";
import { taskSentence } from "../domain/task-sentence.ts";
import type { Attempt } from "../ports/index.ts";

export function firstMessage(attempt: Attempt, context: readonly ContextPiece[], nonce: string): string {
  const { task, history } = attempt;
  const { session } = task.spec;
  const past: ContextPiece[] =
    history.length === 0 ? [] : [{ source: `session:${session}`, isTrusted: false, text: historyText(history) }];
  const pieces = [...context, ...past];
  const asked = taskSentence(task.spec, attempt.own);
  return pieces.length === 0
    ? asked
    : [...pieces.map((piece) => contextEnvelope(piece, nonce)), promptEnvelope(asked, nonce)].join("\n\n");
}
