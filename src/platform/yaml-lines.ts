/**
 * How YAML is written: a text in quotes stays on its line. Folded, one with a line of blanks in it comes back from the
 * library with a backslash that it never had.
 */
export const ON_THEIR_LINES = { lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER } as const;
