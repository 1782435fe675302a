// When something happened, as files say it that are read line by line.

/** `2025-01-09T14:30:00`. Universal time: a file that has no room for a zone must not change it in summer. */
function timeWord(at: number): string {
  const second = Math.floor(at / 1000);
  if (second !== latest.second) latest = { second, word: new Date(at).toISOString().slice(0, 19) };
  return latest.word;
}

/** Many lines are of the same second. */
let latest = { second: Number.NaN, word: "" };

/** `20250109`, by the same time as the lines in the file. */
export const dayWord = (at: number): string => timeWord(at).slice(0, 10).replaceAll("-", "");

export const isoTime = (at: number): string => new Date(at).toISOString();

export const logLine = (at: number, text: string): string => `[${timeWord(at)}] ${text}\n`;
