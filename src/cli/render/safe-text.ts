// Text that an agent or a file wrote, on its way to a terminal. Control characters could move the cursor,
// rewrite what was shown or talk to the terminal; bidirectional ones make text read as what it is not.
// Emoji are joined by U+200D: that one stays.
const CONTROL = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|\u034f|\u115f|\u1160|\u3164|\uffa0/gu;

/** Line breaks and tabs stay; everything else that is not meant to be seen is shown as what it is. */
export const safeText = (text: string): string =>
  text
    .replace(/\r\n/g, "\n")
    .replace(CONTROL, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);

const PADDING = /[^\S\n]{9,}/g;

/** What somebody is to decide on: padding cannot push a part of it out of sight, and look-alikes are named. */
export function plainlyShown(text: string): string {
  const shown = safeText(text.replace(PADDING, (room) => `[${room.length} spaces]`));
  // oxlint-disable-next-line eslint/no-control-regex -- all that is not ASCII
  const foreign = [...new Set(shown.match(/[^\u0000-\u007f]/gu))];
  if (foreign.length === 0) return shown;
  const names = foreign.slice(0, FOREIGN_NAMED).map((one) => `${one} U+${hex(one)}`);
  const more = foreign.length > FOREIGN_NAMED ? ` and ${foreign.length - FOREIGN_NAMED} more` : "";
  return `${shown}\n(not ASCII: ${names.join(", ")}${more})`;
}

const FOREIGN_NAMED = 12;
const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).padStart(4, "0");

/** The same, on one line, cut where it would be longer than `max` characters. */
export function safeLine(text: string, max = Number.POSITIVE_INFINITY): string {
  const line = safeText(text.replace(/\s+/g, " ").trim());
  return line.length <= max ? line : `${line.slice(0, max - 3).trimEnd()}...`;
}
