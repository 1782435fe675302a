// `Edit(src/**)`: patterns for files. `**` is any number of folders, `*` and `?` stay within one, `{a,b}` is one
// of both. Relative to the project; `/x` and `//x` are absolute.
import { alternatives, matchesSegments, matchesText } from "./globs.ts";
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

/** What a spec stops, for a program that has patterns of its own. Undefined: not understood, so it stops everything. */
export const stopPatternsOf = (spec: string): readonly StopPattern[] | undefined => patternsOf(spec)?.map(stopsOfOne);

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
  const folders = new Map<string, boolean>();
  /** A file or folder that is stopped itself, or lies below one. */
  const isStopped = (path: string): boolean => {
    const above = folderOf(path);
    if (above !== undefined && isStoppedFolder(above)) return true;
    const last = path.slice(path.lastIndexOf("/") + 1);
    const isAbsolute = path.startsWith("/");
    return all.some(
      (one) => isAbout(one, isAbsolute) && endsAs(one, last) && matchesSegments(one.ends, segmentsOf(path)),
    );
  };
  /** Kept, because whoever asks about many files asks about those of one folder after the other. */
  const isStoppedFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const found = isStopped(folder);
    if (folders.size >= MOST_FOLDERS) folders.clear();
    folders.set(folder, found);
    return found;
  };
  return {
    stops: (path) => isStopped(normalizePath(folded(path))),
    mayStopBelow(path) {
      const folder = normalizePath(folded(path));
      const names = segmentsOf(folder);
      return all.some((one) => isAbout(one, folder.startsWith("/")) && begins(one.fixed, names));
    },
  };
}

const isAbout = (one: StopPattern, isAbsolute: boolean): boolean => one.isAnywhere || one.isAbsolute === isAbsolute;

const MOST_FOLDERS = 10_000;

/** What a normal path lies in. */
function folderOf(path: string): string | undefined {
  if (path === "." || path === "/") return undefined;
  const at = path.lastIndexOf("/");
  return at === -1 ? "." : at === 0 ? "/" : path.slice(0, at);
}

/** Of most patterns the last name already says no. */
function endsAs({ ends }: StopPattern, last: string): boolean {
  const wanted = ends.at(-1);
  return wanted === undefined || matchesText(wanted, last);
}

/** As far as both go. */
const begins = (fixed: readonly string[], names: readonly string[]): boolean =>
  fixed.every((name, index) => index >= names.length || name === names[index]);

interface StopPattern {
  readonly isAbsolute: boolean;
  readonly isAnywhere: boolean;
  /** In lower case: case does not count. */
  readonly wanted: readonly string[];
  /** As far as what is stopped itself, without what lies below. */
  readonly ends: readonly string[];
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
    ends: wanted.slice(0, wanted.findLastIndex((name) => name !== "**") + 1),
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
    segments: segmentsOf(normal),
  };
}

const segmentsOf = (normal: string): string[] => normal.split("/").filter((part) => part !== "" && part !== ".");
