// The first prompt of a task. The protocol knows no instructions apart from it: they come in an envelope, before the
// history and the task itself.
import { type ContextPiece, contextEnvelope, historyText, promptEnvelope } from "../../domain/envelopes.ts";
import { agentsText, endsOnlyBy } from "../../domain/reminders.ts";
import { taskSentence } from "../../domain/task-sentence.ts";
import type { Attempt } from "../../ports/index.ts";
import type { AgentDefinition, Exit, SessionMessage } from "../../schema/index.ts";
import type { OwnTools } from "../own-tools/own-tools.ts";

export interface FirstPrompt {
  readonly context: readonly ContextPiece[];
  /** What the peer does not know of the session. */
  readonly history: readonly SessionMessage[];
  /** It has begun this very task before. */
  readonly isAgain: boolean;
  readonly nonce: string;
  /** What it ends by, and whom it may call. */
  readonly own: Pick<OwnTools, "exits" | "agents"> | undefined;
}

export function firstPrompt(attempt: Attempt, { context, history, isAgain, nonce, own }: FirstPrompt): string {
  const { spec } = attempt.task;
  const { definition, instructions, session } = spec;
  const pieces: ContextPiece[] = [
    ...(instructions.trim() === ""
      ? []
      : [{ source: `agent:${definition.name}`, isTrusted: true, text: instructions.trim() }]),
    ...context,
    ...(history.length === 0 ? [] : [{ source: `session:${session}`, isTrusted: false, text: historyText(history) }]),
  ];
  return [
    ...pieces.map((piece) => contextEnvelope(piece, nonce)),
    ...(spec.policy.modes.includes("plan") ? ["You are in read-only mode: change nothing."] : []),
    ...(isAgain ? ["You were interrupted in this task. See what is done already, and go on from there."] : []),
    ...(own === undefined ? [] : [agentsText(own.agents)].filter((text) => text !== "")),
    ...(own === undefined || own.exits.length === 0 ? outputText(definition) : [`${endsOnlyBy(own.exits)}.`]),
    promptEnvelope(taskSentence(spec, attempt.own), nonce),
  ].join("\n\n");
}

const outputText = ({ output }: AgentDefinition): string[] => (output === undefined ? [] : [askForJson(output.schema)]);

const askForJson = (schema: object): string =>
  `End with one JSON value that fits this schema, alone in your last message or in a \`\`\`json block:\n${JSON.stringify(schema)}`;

/** For a revision: what a gate found wrong. */
export const revisionPrompt = (feedback: string, wantsJson: boolean, exits: readonly Exit[]): string =>
  [
    "Your answer was checked, and is not accepted yet:",
    feedback,
    exits.length > 0
      ? `Correct it. ${endsOnlyBy(exits)}.`
      : wantsJson
        ? "Correct it, and end again with the one JSON value."
        : "Correct it, and give your whole answer again.",
  ].join("\n");
