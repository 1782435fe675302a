// Text of others, put before a model so that it cannot be taken for anything else: it cannot close its envelope, nor
// forge one, because whatever looks like a tag of ours is written differently inside.

/** However it is spelled: with blanks, a slash, or characters that nobody sees in between. */
const TAG = /<(?=[\s\p{Cf}\p{Cc}/]*cadre[\s\p{Cf}\p{Cc}]*:)/giu;
const HISTORY_TAG = /<(?=[\s\p{Cf}\p{Cc}/]*previous_conversation)/giu;

const escaped = (text: string): string => text.replace(TAG, "&lt;");
const attribute = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

export interface ContextPiece {
  /** Where it comes from: `file:AGENTS.md`, `memory:project`, `session:sess_…`. */
  readonly source: string;
  /** Whether what it says may be followed like the user's own word. Tools, mode and rights it never changes. */
  readonly isTrusted: boolean;
  readonly text: string;
}

export const contextEnvelope = ({ source, isTrusted, text }: ContextPiece, nonce: string): string =>
  `<cadre:context source="${attribute(source)}" trusted="${isTrusted}" nonce="${attribute(nonce)}">\n${escaped(text)}\n</cadre:context>`;

export const promptEnvelope = (prompt: string, nonce: string): string =>
  `<cadre:user_prompt nonce="${attribute(nonce)}">\n${escaped(prompt)}\n</cadre:user_prompt>`;

export interface PastMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** What was said before in a session, for a model that was not there. The newest are kept. */
export function historyText(messages: readonly PastMessage[], max: number): string {
  const lines = messages
    .slice(-max)
    .map(({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${content}`);
  return [
    "<previous_conversation>",
    ...lines.map((line) => line.replace(HISTORY_TAG, "&lt;")),
    "</previous_conversation>",
  ].join("\n");
}
