/** Words for a POSIX shell, each as itself. */
export const shellQuoted = (words: readonly string[]): string =>
  words.map((word) => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`)).join(" ");
