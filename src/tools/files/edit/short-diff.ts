import { structuredPatch } from "diff";

const CONTEXT = 3;
const LIMIT_MS = 500;
const MAX_LINES = 80;
const MAX_CHARS = 300;

/** A unified diff, short enough to be read; undefined where finding it would take too long. */
export function shortDiff(name: string, before: string, after: string): string | undefined {
  const patch = structuredPatch(name, name, before, after, undefined, undefined, {
    context: CONTEXT,
    timeout: LIMIT_MS,
  });
  if (patch === undefined) return undefined;
  const lines = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: changed }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...changed.map((line) => line.replace(/\r$/, "")),
  ]);
  const shown = lines
    .slice(0, MAX_LINES)
    .map((line) => (line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS).toWellFormed()}…` : line));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`(${more} more lines of the diff)`] : [])].join("\n");
}
