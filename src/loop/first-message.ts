// The first message of a conversation: what is known, in envelopes, and then the task.
import { type ContextPiece, contextEnvelope, historyText, promptEnvelope } from "../domain/envelopes.ts";
import { taskSentence } from "../domain/task-sentence.ts";
import type { Attempt } from "../ports/index.ts";

/** `makeNonce` is asked where there is something to put into envelopes. */
export function firstMessage(attempt: Attempt, context: readonly ContextPiece[], makeNonce: () => string): string {
  const { task, history } = attempt;
  const { session } = task.spec;
  const past: ContextPiece[] =
    history.length === 0 ? [] : [{ source: `session:${session}`, isTrusted: false, text: historyText(history) }];
  const pieces = [...context, ...past];
  const asked = taskSentence(task.spec, attempt.own);
  if (pieces.length === 0) return asked;
  const nonce = makeNonce();
  return [...pieces.map((piece) => contextEnvelope(piece, nonce)), promptEnvelope(asked, nonce)].join("\n\n");
}
