// What came from outside, on its way to a model: as data, in an envelope that its content can neither close nor forge.
import { contextEnvelope } from "../domain/envelopes.ts";

/** The nonce is unknown to whoever wrote the text. */
export const inEnvelope = (source: string, text: string, nonce: string): string =>
  contextEnvelope({ source: harmless(source), isTrusted: false, text: harmless(text) }, nonce);

/**
 * A tag of ours, also with a few blanks, in other letters, or with characters that nobody sees in between. A few only:
 * without a bound, a text of blanks would take for ever.
 */
const GAP = String.raw`[\s\p{Cf}]{0,4}`;
const OWN_TAG = new RegExp(`<(?=${["", "/?", "c", "a", "d", "r", "e", ":"].join(GAP)})`, "giu");

// oxlint-disable-next-line eslint/no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Directions that turn text round for its reader, and the tag block, which only a model can read. */
const HIDDEN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Without what closes an envelope, moves a terminal, or only a model can read. */
export const harmless = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(CONTROL, "").replace(HIDDEN, "").replace(OWN_TAG, "&lt;");
