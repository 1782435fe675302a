import { lstat } from "node:fs/promises";
import * as z from "zod";
import { kindOf, lookConfined } from "../../platform/confined-files.ts";
import { openFolder, stepsOf } from "../../platform/confined-folder.ts";
import { entriesOf } from "../../platform/confined-walk.ts";
import type { Tool, ToolResult } from "../../ports/index.ts";
import type { Checked } from "../checked-input.ts";
import { defineTool, done, failed } from "../define-tool.ts";
import type { FileParts } from "./file-parts.ts";
import { onExisting } from "./on-existing.ts";
import { LEFT_OUT, type Place } from "./places.ts";
import { compileGlob, type Matches } from "./search/glob-pattern.ts";
import { shownPath } from "./search/shown-path.ts";
import { ShownLines } from "./shown-lines.ts";
import { isBroken, unnamedNote } from "./unnamed.ts";

const MAX_SHOWN = 500;

const Input = z.strictObject({
  path: z.string().min(1).optional().describe("The folder. Default: the workspace."),
  ignore: z
    .array(z.string().min(1))
    .max(50)
    .optional()
    .describe('Names to leave out, such as ["*.log", "node_modules"].'),
});

const DESCRIPTION = `Lists what is in a folder of the workspace, hidden files too: folders with a slash, files with their size. At most \
${MAX_SHOWN} entries. To find files further down use Glob.`;

export const listTool = (parts: FileParts): Tool =>
  defineTool(
    {
      name: "List",
      description: DESCRIPTION,
      effect: "read",
      input: Input,
      reattach: "again",
      plan({ path = ".", ignore = [] }) {
        const found = parts.places.locate("path", path);
        if (!found.ok) return found;
        const ignored = compileAll(ignore);
        return ignored.ok ? { ok: true, use: { effect: "read", path: found.place.shown } } : ignored;
      },
      run: ({ path = ".", ignore = [] }) => {
        const ignored = compileAll(ignore);
        if (!ignored.ok) return Promise.resolve(failed(ignored.problem));
        return onExisting(parts, "path", path, (place) => list(parts, place, ignored.value));
      },
    },
    parts.signal,
  );

function compileAll(globs: readonly string[]): Checked<Matches> {
  const matchers: Matches[] = [];
  for (const glob of globs) {
    const compiled = compileGlob(glob.replace(/\/$/, ""), { braces: true });
    if (!compiled.ok) return { ok: false, problem: `\`ignore\`: ${compiled.problem}` };
    matchers.push(compiled.value);
  }
  return { ok: true, value: (name) => matchers.some((matches) => matches(name)) };
}

async function list({ places, finders }: FileParts, place: Place, isIgnored: Matches): Promise<ToolResult> {
  const found = await lookConfined(place.root, place.path);
  if (found?.isFile() === true) return failed(`${place.shown} is a file, not a folder. Use Read to see what is in it.`);
  await using folder = await openFolder(place.root, stepsOf(place.path), place.shown, { create: false });
  const sight = places.sight("List", place);
  const wanted = (await entriesOf(folder)).filter(({ name }) => !isIgnored(name));
  const entries = wanted.filter(({ name }) => sight.shows(places.below(place, name)));
  const shown = new ShownLines();
  let seen = 0;
  let unnamed = 0;
  for (const { name } of entries.slice(0, MAX_SHOWN)) {
    const info = await lstat(folder.at(name), { bigint: true }).catch(() => null);
    const kind = info === null ? null : kindOf(info);
    if (kind === "folder") shown.push(`${shownPath(name)}/`);
    else if (kind === "file") shown.push(`${shownPath(name)}  ${sizeOf(Number(info?.size ?? 0))}`);
    else if (kind !== null) shown.push(`${shownPath(name)}  (${kind})`);
    else if (isBroken(name)) unnamed++;
    if (shown.isFull) break;
    seen++;
  }
  const lines = [...shown.lines];
  const more = entries.length - seen;
  const orGlob = finders.includes("Glob") ? ", or look for names with Glob" : "";
  if (more > 0) lines.push(`(${more} more: leave some out with \`ignore\`${orGlob})`);
  if (unnamed > 0) lines.push(unnamedNote(unnamed));
  if (lines.length === 0) lines.push(`(nothing in ${place.shown === "." ? "the workspace" : place.shown})`);
  if (wanted.some(({ name }) => sight.isClosed(places.below(place, name)))) lines.push(LEFT_OUT);
  return done(lines.join("\n"));
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kilobytes = bytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
