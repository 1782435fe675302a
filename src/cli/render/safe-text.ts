// Text that an agent or a file wrote, on its way to a terminal. Control characters could move the cursor,
// rewrite what was shown or talk to the terminal; bidirectional ones make text read as what it is not.
// oxlint-disable-next-line eslint/no-control-regex -- finding them is the point
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Line breaks and tabs stay; everything else that is not meant to be seen is shown as what it is. */
export const safeText = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The same, on one line, cut where it would be longer than `max` characters. */
export function safeLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const line = safeText(text.replace(/\s+/g, " ").trim());
  return line.length <= max ? line : `${line.slice(0, max - 3).trimEnd()}...`;
}
