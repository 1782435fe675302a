// Text of others, put before a model so that it cannot be taken for anything else: it cannot close its envelope, nor
// forge one, because whatever looks like a tag of ours is written differently inside.

/** Blanks, and what nobody sees. */
const UNSEEN = "\\s\\p{C}\\p{M}\\u115f\\u1160\\u2800\\u3164\\uffa0";

/** The same sign in full width looks alike. */
const wide = (sign: string): string => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0);
const either = (sign: string): string => `[${sign}${wide(sign)}]`;

/** However it is spelled: with blanks, a slash, or characters that nobody sees in between, in full width too. */
const tagOf = (name: string): RegExp =>
  // One class between two signs, and the slash in the first: no text takes longer than it is long.
  new RegExp(`[<\uff1c\ufe64](?=[${UNSEEN}/\uff0f]*${Array.from(name, either).join(`[${UNSEEN}]*`)})`, "giu");

const TAG = tagOf("cadre:");
const HISTORY_TAG = tagOf("previous_conversation");

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

/** Of every kind: a line of a message that begins with "User:" would be another message. */
const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g;

/** What was said before in a session, for a model that was not there. */
export function historyText(messages: readonly PastMessage[]): string {
  const lines = messages.map(
    ({ role, content }) => `${role === "user" ? "User" : "Assistant"}: ${content.replace(LINE_BREAK, "\n  ")}`,
  );
  return [
    "<previous_conversation>",
    ...lines.map((line) => line.replace(HISTORY_TAG, "&lt;")),
    "</previous_conversation>",
  ].join("\n");
}
