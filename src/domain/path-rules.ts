// `Edit(src/**)`: patterns for files. `**` is any number of folders, `*` and `?` stay within one, `{a,b}` is one
// of both. Relative to the project; `/x` and `//x` are absolute.
import { alternatives, matchesSegments } from "./globs.ts";
import { normalizePath } from "./scopes.ts";

/**
 * To let through: just the files that match. To stop: those, all that lies below a folder that matches, in any
 * spelling of case; and a name without a folder at any depth.
 */
export function pathFits(spec: string, path: string | undefined, side: "pass" | "stop"): boolean {
  const patterns = patternsOf(spec);
  if (patterns === undefined || path === undefined) return side === "stop";
  return side === "pass" ? patterns.some((pattern) => passes(pattern, path)) : stopsOf(patterns).stops(path);
}

/** Specs on the side that stops, made ready for many paths. */
export interface StoppedPaths {
  stops(path: string): boolean;
  /** Whether it could stop anything in this folder: by the names that it begins with. */
  mayStopBelow(folder: string): boolean;
}

export function stoppedPaths(specs: readonly string[]): StoppedPaths {
  const patterns = specs.map(patternsOf);
  const known = patterns.filter((some) => some !== undefined);
  return stopsOf(known.length < patterns.length ? undefined : known.flat());
}

interface Pattern {
  readonly isAbsolute: boolean;
  readonly segments: readonly string[];
}

/** Undefined: a sign that we do not know. `~` is somebody's home, `[` and `!` are read in many ways. */
function patternsOf(spec: string): readonly Pattern[] | undefined {
  if (/^~|[[\]!\\]/.test(spec)) return undefined;
  return alternatives(spec)?.map((one) => {
    const whole = one.endsWith("/") ? `${one}**` : one;
    const segments = whole.split("/").filter((part) => part !== "" && part !== ".");
    return { isAbsolute: one.startsWith("/"), segments };
  });
}

function passes({ isAbsolute, segments }: Pattern, path: string): boolean {
  const given = splitPath(path);
  if (given.isAbsolute !== isAbsolute || given.segments[0] === "..") return false;
  return matchesSegments(segments, given.segments);
}

/** What is not understood stops everything. */
function stopsOf(patterns: readonly Pattern[] | undefined): StoppedPaths {
  if (patterns === undefined) return { stops: () => true, mayStopBelow: () => true };
  const all = patterns.map(stopsOfOne);
  const some = (test: (one: StopPattern, given: Pattern) => boolean) => (path: string) => {
    const given = splitPath(folded(path));
    return all.some((one) => (one.isAnywhere || one.isAbsolute === given.isAbsolute) && test(one, given));
  };
  return {
    stops: some(({ wanted, fixed }, { segments }) => begins(fixed, segments) && matchesSegments(wanted, segments)),
    mayStopBelow: some(({ fixed }, { segments }) => begins(fixed, segments)),
  };
}

/** As far as both go. */
const begins = (fixed: readonly string[], names: readonly string[]): boolean =>
  fixed.every((name, index) => index >= names.length || name === names[index]);

interface StopPattern {
  readonly isAbsolute: boolean;
  readonly isAnywhere: boolean;
  readonly wanted: readonly string[];
  /** As far as there is no wildcard. */
  readonly fixed: readonly string[];
}

function stopsOfOne({ isAbsolute, segments }: Pattern): StopPattern {
  const names = segments.map(folded);
  const isAnywhere = !isAbsolute && (names.length === 1 || names[0] === "**");
  const wanted = [...(isAnywhere ? ["**"] : []), ...names, "**"];
  return {
    isAbsolute,
    isAnywhere,
    wanted,
    fixed: wanted.slice(
      0,
      wanted.findIndex((name) => /[*?]/.test(name)),
    ),
  };
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

function splitPath(path: string): Pattern {
  const normal = normalizePath(path);
  return {
    isAbsolute: normal.startsWith("/"),
    segments: normal.split("/").filter((part) => part !== "" && part !== "."),
  };
}
