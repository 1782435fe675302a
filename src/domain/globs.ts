// Patterns with wildcards, matched in time that grows with pattern times text at the most: patterns come from
// files that anybody may have written.

/** `*` is any text, also none; `?` one character. */
export function matchesText(pattern: string, text: string): boolean {
  if (!pattern.includes("*") && !pattern.includes("?")) return pattern === text; // most are: no need to look closer
  const star = pattern.indexOf("*");
  if (star !== -1 && star === pattern.lastIndexOf("*") && !pattern.includes("?")) {
    const isLongEnough = text.length >= pattern.length - 1;
    return isLongEnough && text.startsWith(pattern.slice(0, star)) && text.endsWith(pattern.slice(star + 1));
  }
  return matchesSequence(pattern, text, OF_TEXT);
}

const OF_TEXT: Signs = {
  isAny: (sign) => sign === "*",
  fits: (sign, character) => sign === "?" || sign === character,
};

/** `**` is any number of folders, also none; `*` and `?` stay within one. Both without a leading slash. */
export function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  return matchesSequence(pattern, path, OF_PATHS);
}

const OF_PATHS: Signs = { isAny: (part) => part === "**", fits: matchesText };

interface Signs {
  readonly isAny: (sign: string) => boolean;
  readonly fits: (sign: string, item: string) => boolean;
}

/** One place to go back to is enough: the last wildcard may take one item more, the earlier ones need not. */
function matchesSequence(pattern: ArrayLike<string>, items: ArrayLike<string>, { isAny, fits }: Signs): boolean {
  let [sign, item] = [0, 0];
  let wildcard: { readonly sign: number; item: number } | undefined;
  while (item < items.length) {
    const wanted = pattern[sign];
    const given = items[item] ?? "";
    if (wanted !== undefined && isAny(wanted)) {
      wildcard = { sign, item };
      sign += 1;
    } else if (wanted !== undefined && fits(wanted, given)) {
      sign += 1;
      item += 1;
    } else if (wildcard === undefined) return false;
    else {
      wildcard.item += 1;
      sign = wildcard.sign + 1;
      item = wildcard.item;
    }
  }
  while (sign < pattern.length && isAny(pattern[sign] ?? "")) sign += 1;
  return sign === pattern.length;
}

const MOST_ALTERNATIVES = 64;

/** `a.{b,c}` as `a.b` and `a.c`. Undefined where they are nested, unbalanced or too many. */
export function alternatives(pattern: string): readonly string[] | undefined {
  let found = [""];
  for (let rest = pattern; rest !== "";) {
    const open = rest.search(/[{}]/);
    if (open === -1) return found.map((start) => start + rest);
    const close = rest.indexOf("}", open);
    const inner = rest.slice(open + 1, close);
    if (rest[open] === "}" || close === -1 || inner.includes("{")) return undefined;
    const before = rest.slice(0, open);
    found = found.flatMap((start) => inner.split(",").map((one) => start + before + one));
    if (found.length > MOST_ALTERNATIVES) return undefined;
    rest = rest.slice(close + 1);
  }
  return found;
}
