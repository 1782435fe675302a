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
  return patterns.some((pattern) => (side === "pass" ? passes(pattern, path) : stops(pattern, path)));
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

function stops({ isAbsolute, segments }: Pattern, path: string): boolean {
  const given = splitPath(folded(path));
  const wanted = segments.map(folded);
  const isAnywhere = !isAbsolute && (wanted.length === 1 || wanted[0] === "**");
  if (given.isAbsolute !== isAbsolute && !isAnywhere) return false;
  return matchesSegments([...(isAnywhere ? ["**"] : []), ...wanted, "**"], given.segments);
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase();

function splitPath(path: string): Pattern {
  const normal = normalizePath(path);
  return {
    isAbsolute: normal.startsWith("/"),
    segments: normal.split("/").filter((part) => part !== "" && part !== "."),
  };
}
