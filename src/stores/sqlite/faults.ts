// What SQLite says is wrong, in words.
/** SQLite's primary result code, without the extension in the upper bits. */
const codeOf = (error: unknown): number =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : -1;

export const isBusy = (error: unknown): boolean => codeOf(error) === 5 || codeOf(error) === 6;

export const DISK_FAULT = {
  codes: [10],
  what: "cannot be read or written: the disk reports an error",
  hint: "See to the disk. What was acknowledged is kept.",
};

const EXPLANATIONS: readonly { codes: readonly number[]; what: string; hint: string }[] = [
  { codes: [13], what: "cannot grow: the disk is full", hint: "Free some room. What was acknowledged is kept." },
  {
    codes: [11, 26],
    what: "is damaged, or is no database",
    hint: "Keep the file, and name another home: --home <folder>",
  },
  {
    codes: [8, 14],
    what: "cannot be written",
    hint: "See that you may write there, or name another home: --home <folder>",
  },
  DISK_FAULT,
];

export const explanationOf = (error: unknown) => EXPLANATIONS.find(({ codes }) => codes.includes(codeOf(error)));
