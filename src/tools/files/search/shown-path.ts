/** A name may hold line breaks and worse: it must not look like several, or like something else. */
export const shownPath = (path: string): string =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path) : path;
