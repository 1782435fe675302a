// Words, for the index and for a query, in the same way: so that what was written in it is found with it.
// Scripts that put no spaces between words are cut into pairs of characters; a pair that is next to another
// stands for the word that nobody has marked.

const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+/gu;

const MAX_TERMS = 48;

/** What is indexed: the words of a text, unspaced ones as characters and pairs of them. */
export const indexed = (text: string): string =>
  wordsOf(text)
    .flatMap((word) => pieces(word, true))
    .join(" ");

/** What is looked for: without the words that stand in every sentence, unless there are no others. */
export function searchTerms(query: string): string[] {
  const all = wordsOf(query).flatMap((word) => pieces(word, false));
  const telling = all.filter((term) => !COMMON.has(term.toLowerCase()));
  return [...new Set(telling.length === 0 ? all : telling)].slice(0, MAX_TERMS);
}

/** Quoted, so that nothing in a term is an operator. Any of them will do; the more, the better it fits. */
export const anyOf = (terms: readonly string[], isPrefix = false): string =>
  terms.map((term) => `"${term.replaceAll('"', '""')}"${isPrefix ? "*" : ""}`).join(" OR ");

const wordsOf = (text: string): readonly string[] => text.normalize("NFKC").match(WORD) ?? [];

function pieces(word: string, withSingles: boolean): string[] {
  const found: string[] = [];
  let at = 0;
  for (const match of word.matchAll(UNSPACED)) {
    found.push(word.slice(at, match.index));
    found.push(...pairs(Array.from(match[0]), withSingles));
    at = match.index + match[0].length;
  }
  return [...found, word.slice(at)].filter((piece) => piece !== "");
}

function pairs(characters: readonly string[], withSingles: boolean): string[] {
  const two = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  return withSingles || two.length === 0 ? [...characters, ...two] : two;
}

const COMMON: ReadonlySet<string> = new Set(
  (
    "a about all also an and any are as at be been but by can could did do does for from had has have how i if in " +
    "into is it its me my no not of on or our out please should so some than that the their them then there these " +
    "they this those to up us use was we were what when where which who why will with would you your"
  ).split(" "),
);
