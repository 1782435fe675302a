// Commands of which some words are known only when they run, and whether a pattern could be about them. Marks stand
// for what is not known: no text that is understood has characters like these.

/** Any text, also none, and also several words. */
export const ANY_TEXT = "\u0000";
/** Nothing; or a blank and any text. It stands right behind the word before it. */
export const MORE_WORDS = "\u0001";
/** Any text within one word, also none; but none that makes an option of it: who quotes a variable means a value. */
export const OPERAND = "\u0002";
/** Nothing; or more words that are no options. It stands right behind the word before it. */
export const MORE_OPERANDS = "\u0003";

const MARK = new RegExp(`[${ANY_TEXT}${MORE_WORDS}${OPERAND}${MORE_OPERANDS}]`);

export const isPartlyKnown = (command: string): boolean => MARK.test(command);

/** As a line for a shell that reads it once more, with a variable wherever something is not known. */
export const withVariables = (shape: string): string =>
  shape.replace(/'([^']*)'|\\(.)/gs, "$1$2").replace(new RegExp(MARK, "g"), '"$x"');

/** What stands before the first thing that is not known: all of it, where nothing is unknown. */
export const knownStart = (shape: string): string => (shape.split(MARK, 1)[0] ?? "").replaceAll("'", "");

/** The mark for what a word may turn out to be beside its first word. Undefined: it is one word. */
export function splitOf(word: string): string | undefined {
  if (word.includes(ANY_TEXT) || word.includes(MORE_WORDS)) return MORE_WORDS;
  return word.includes(MORE_OPERANDS) ? MORE_OPERANDS : undefined;
}

/** What stands behind `--`. */
export const asOperands = (words: string): string =>
  words.replaceAll(MORE_WORDS, MORE_OPERANDS).replaceAll(ANY_TEXT, OPERAND + MORE_OPERANDS);

/**
 * Whether there is a text that both can be: the pattern with its `*` and `?`, the command with its marks. Of the pattern
 * all places are kept to which some beginning of the command leads: the time grows with pattern times command. What the
 * pattern says before the place `known` must be in what is known of the command.
 */
export function couldMatch(pattern: string, command: string, known = 0): boolean {
  const passing = (isStop: (place: number) => boolean, places: Places): Set<number> =>
    passed(pattern, places, (place) => place >= known && !isStop(place));
  const isOption = (place: number): boolean => OPTION.test(pattern.slice(Math.max(0, place - 1), place + 2));
  const lastStar = pattern.endsWith("*") ? pattern.length - 1 : -1; // whatever comes, it takes it
  let places = onwards(pattern, new Set([0]));
  for (const sign of command.split("")) {
    if (sign === ANY_TEXT) places = passing(() => false, places);
    else if (sign === OPERAND) places = passing((place) => pattern[place] === " " || isOption(place), places);
    else if (sign === MORE_WORDS) places = places.union(passing(() => false, after(pattern, places, " ")));
    else if (sign === MORE_OPERANDS) places = places.union(passing(isOption, after(pattern, places, " ")));
    else places = after(pattern, places, sign);
    if (places.size === 0) return false;
    if (places.has(lastStar)) return true;
  }
  return places.has(pattern.length);
}

/** An option begins at the second sign. Behind a `*` one `-` may be in the middle of a name. */
const OPTION = /^(?: -|\*--)/;

/**
 * Of a pattern that may begin anywhere, its first word must be known of a command: else it could be about every command
 * with a word that is not known.
 */
export const firstKnown = (pattern: string): number => /^\*[\s*?]*[^\s*?]*/.exec(pattern)?.[0].length ?? 0;

type Places = ReadonlySet<number>;

/** A `*` may be nothing. */
function onwards(pattern: string, places: Iterable<number>): Set<number> {
  const all = new Set<number>();
  for (let place of places) {
    all.add(place);
    while (pattern[place] === "*") all.add((place += 1));
  }
  return all;
}

function after(pattern: string, places: Places, sign: string): Set<number> {
  const next = [...places].flatMap((place) => {
    const wanted = pattern[place];
    if (wanted === "*") return [place];
    return wanted === "?" || wanted === sign ? [place + 1] : [];
  });
  return onwards(pattern, next);
}

/** Text that is not known may be whatever leads from a place to a later one. */
function passed(pattern: string, places: Places, mayPass: (place: number) => boolean): Set<number> {
  const all = new Set<number>();
  for (let place = 0; place <= pattern.length; place += 1) {
    if (places.has(place) || (all.has(place - 1) && mayPass(place - 1))) all.add(place);
  }
  return all;
}
