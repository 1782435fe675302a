// The first prompt of a task. The protocol knows no instructions apart from it: they come in an envelope, before the
// history and the task itself.
import { type ContextPiece, contextEnvelope, historyText, promptEnvelope } from "../../domain/envelopes.ts";
import { taskSentence } from "../../domain/task-sentence.ts";
import type { Attempt } from "../../ports/index.ts";
import type { SessionMessage } from "../../schema/index.ts";

export interface FirstPrompt {
  readonly context: readonly ContextPiece[];
  /** What the peer does not know of the session. */
  readonly history: readonly SessionMessage[];
  readonly maxHistory: number;
  /** It has begun this very task before. */
  readonly isAgain: boolean;
  readonly nonce: string;
}

export function firstPrompt(attempt: Attempt, { context, history, maxHistory, isAgain, nonce }: FirstPrompt): string {
  const { spec } = attempt.task;
  const { definition, instructions, session } = spec;
  const pieces: ContextPiece[] = [
    ...(instructions.trim() === ""
      ? []
      : [{ source: `agent:${definition.name}`, isTrusted: true, text: instructions.trim() }]),
    ...context,
    ...(history.length === 0
      ? []
      : [{ source: `session:${session}`, isTrusted: false, text: historyText(history, maxHistory) }]),
  ];
  return [
    ...pieces.map((piece) => contextEnvelope(piece, nonce)),
    ...(spec.policy.modes.includes("plan") ? ["You are in read-only mode: change nothing."] : []),
    ...(isAgain ? ["You were interrupted in this task. See what is done already, and go on from there."] : []),
    ...(definition.output === undefined ? [] : [askForJson(definition.output.schema)]),
    promptEnvelope(taskSentence(spec, attempt.own), nonce),
  ].join("\n\n");
}

const askForJson = (schema: object): string =>
  `End with one JSON value that fits this schema, alone in your last message or in a \`\`\`json block:\n${JSON.stringify(schema)}`;

/** For a revision: what a gate found wrong. */
export const revisionPrompt = (feedback: string, wantsJson: boolean): string =>
  [
    "Your answer was checked, and is not accepted yet:",
    feedback,
    wantsJson ? "Correct it, and end again with the one JSON value." : "Correct it, and give your whole answer again.",
  ].join("\n");
