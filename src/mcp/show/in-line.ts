/** A value in one line of a text, whatever it is: nothing in it can begin another line, or look like a tag. */
export function inLine(value: unknown): string {
  if (typeof value === "string" && !/[\p{Cc}\p{Cf}\u2028\u2029<]/u.test(value)) return value;
  return JSON.stringify(value).replace(/[<\p{Cf}\u2028\u2029]/gu, (character) => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
