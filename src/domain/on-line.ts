// Text of people and agents on its way into files that are read line by line. A line break, a carriage
// return or an escape sequence in it could forge a line, or hide one from a terminal.
// oxlint-disable-next-line eslint/no-control-regex -- finding them is the point
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

const LINE_MAX = 2000;

/** The same text on one line, at most `max` characters of it, with everything visible. */
export function onLine(text: string, max = LINE_MAX): string {
  const isLong = text.length > max;
  const kept = isLong ? text.slice(0, splitsPair(text, max) ? max - 1 : max) : text;
  return `${kept.replace(UNSEEN, visible)}${isLong ? "..." : ""}`;
}

const visible = (character: string): string =>
  SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const splitsPair = (text: string, at: number): boolean => /[\ud800-\udbff]/.test(text.charAt(at - 1));
