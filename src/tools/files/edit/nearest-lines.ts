// Where a text that is not in a file nearly is: so that a model can see what it got wrong.

const CONTEXT = 2;
const MAX_SHOWN = 12;
const MAX_LINES = 20_000;
const MAX_CHARS = 400;
const NEAR = 0.5;

export interface Near {
  /** Why the exact text was not found, where that is known. */
  readonly why: "spaces" | "numbers" | "similar";
  /** Numbered lines, as Read shows them. */
  readonly shown: string;
}

export function nearestLines(text: string, wanted: string): Near | undefined {
  const lines = text.split(/\r?\n/, MAX_LINES);
  const wish = wanted.split(/\r?\n/);
  const bare = wish.map((line) => line.replace(/^\s*\d+(\t|→)/, ""));
  const isNumbered = wish.every((line, index) => line !== bare[index] || line === "");
  if (isNumbered) {
    const at = findBlock(lines, bare, (line) => line);
    if (at >= 0) return { why: "numbers", shown: show(lines, at, bare.length) };
  }
  const loose = findBlock(lines, wish, (line) => line.replaceAll(/\s+/g, ""));
  if (loose >= 0) return { why: "spaces", shown: show(lines, loose, wish.length) };
  return similar(lines, wish);
}

/** The first place where all lines are the same in this view of them. */
function findBlock(lines: readonly string[], wish: readonly string[], view: (line: string) => string): number {
  const wanted = trimEnds(wish.map(view));
  if (wanted.length === 0) return -1;
  const seen = lines.map(view);
  return seen.findIndex((_, at) => wanted.every((line, offset) => seen[at + offset] === line));
}

function trimEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line !== "") + 1);
}

/** By the words that its most telling line has in common with each line of the file. */
function similar(lines: readonly string[], wish: readonly string[]): Near | undefined {
  const anchor = wish.reduce((longest, line) => (line.trim().length > longest.trim().length ? line : longest), "");
  const wanted = wordsOf(anchor);
  let best = -1;
  let bestScore = NEAR;
  for (const [at, line] of lines.entries()) {
    const score = likeness(wanted, wordsOf(line));
    if (score > bestScore) [best, bestScore] = [at, score];
  }
  if (best < 0) return undefined;
  const start = Math.max(0, best - wish.indexOf(anchor) - CONTEXT);
  return { why: "similar", shown: show(lines, start, wish.length + 2 * CONTEXT) };
}

const wordsOf = (line: string): Set<string> => new Set(line.slice(0, MAX_CHARS).match(/[\p{L}\p{N}_]+/gu));

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const word of a) if (b.has(word)) both++;
  return (2 * both) / (a.size + b.size);
}

const show = (lines: readonly string[], start: number, count: number): string =>
  lines
    .slice(start, start + Math.min(count, MAX_SHOWN))
    .map((line, index) => `${String(start + index + 1).padStart(6)}\t${line.slice(0, MAX_CHARS).toWellFormed()}`)
    .join("\n");
