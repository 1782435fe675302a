// Commands of which some words are known only when they run, and whether a pattern could be about them. Two marks stand
// for what is not known: no text that is understood has characters like these.

/** Any text, also none, and also several words. */
export const ANY_TEXT = "\u0000";
/** Nothing; or a blank and any text. It stands right behind the word before it. */
export const MORE_WORDS = "\u0001";

export const isPartlyKnown = (command: string): boolean => command.includes(ANY_TEXT) || command.includes(MORE_WORDS);

/**
 * Whether there is a text that both can be: the pattern with its `*` and `?`, the command with its marks. Of the pattern
 * all places are kept to which some beginning of the command leads: the time grows with pattern times command.
 */
export function couldMatch(pattern: string, command: string): boolean {
  let places = onwards(pattern, new Set([0]));
  for (const sign of command.split("")) {
    if (sign === ANY_TEXT) places = allFrom(pattern, places);
    else if (sign === MORE_WORDS) places = places.union(allFrom(pattern, after(pattern, places, " ")));
    else places = after(pattern, places, sign);
    if (places.size === 0) return false;
  }
  return places.has(pattern.length);
}

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
function allFrom(pattern: string, places: Places): Set<number> {
  const first = Math.min(...places);
  return new Set(Array.from({ length: Math.max(0, pattern.length + 1 - first) }, (_, at) => first + at));
}
