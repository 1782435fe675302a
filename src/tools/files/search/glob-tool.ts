import * as z from "zod";
import { isWithin } from "../../../domain/scopes.ts";
import type { Tool, ToolResult } from "../../../ports/index.ts";
import { defineTool, done, failed } from "../../define-tool.ts";
import type { FileParts } from "../file-parts.ts";
import { onExisting } from "../on-existing.ts";
import type { Place } from "../places.ts";
import { ShownLines } from "../shown-lines.ts";
import { isUnnamed, unnamedNote } from "../unnamed.ts";
import { compileGlob, hasWildcards, type Matches, namesHidden } from "./glob-pattern.ts";
import { search } from "./search.ts";
import { isFile, searchStarts } from "./search-starts.ts";
import type { SearchEnd, SearchParts } from "./search-wish.ts";
import { shownPath } from "./shown-path.ts";

const MAX_SHOWN = 200;

const Input = z.strictObject({
  pattern: z.string().min(1).describe('Which files: "**/*.ts", "src/{a,b}/*.json". `*` stays within one folder.'),
  path: z.string().min(1).optional().describe("The folder to look in. Default: the workspace."),
  hidden: z
    .boolean()
    .optional()
    .describe("Also names that begin with a dot. Default: where the pattern has such a name."),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Finds files by name, below a folder of the workspace. Returns paths, sorted, at most ${MAX_SHOWN}. What .gitignore \
leaves out and hidden files are not found, and links are not followed.`;

export const globTool = (parts: FileParts & SearchParts): Tool =>
  defineTool(
    {
      name: "Glob",
      description: DESCRIPTION,
      effect: "read",
      input: Input,
      reattach: "again",
      plan(input) {
        const { folder, rest } = splitPattern(input);
        const found = parts.places.locate(input.path === undefined ? "pattern" : "path", folder);
        if (!found.ok) return found;
        const compiled = compilePattern(rest);
        return compiled.ok ? { ok: true, use: { effect: "read", path: found.place.shown } } : compiled;
      },
      run: (input) => {
        const { folder, rest } = splitPattern(input);
        const compiled = compilePattern(rest);
        if (!compiled.ok) return Promise.resolve(failed(compiled.problem));
        return onExisting(parts, "path", folder, (place) =>
          glob(parts, place, { ...input, rest, matches: compiled.value }),
        );
      },
    },
    parts.signal,
  );

const compilePattern = (rest: string) => {
  if (rest.split("/").includes(".."))
    return { ok: false, problem: '`pattern`: ".." may only stand before the first "*"' } as const;
  const compiled = compileGlob(rest, { braces: true });
  return compiled.ok ? compiled : ({ ok: false, problem: `\`pattern\`: ${compiled.problem}` } as const);
};

/** The folders that a pattern begins with are where to look: nothing else is searched, or asked of the policy. */
function splitPattern({ pattern, path }: Input): { folder: string; rest: string } {
  const steps = pattern.split("/");
  const first = steps.findIndex((step) => hasWildcards(step));
  const count = first < 0 ? steps.length - 1 : first;
  const fixed = steps.slice(0, count).join("/");
  const rest = steps.slice(count).join("/");
  if (pattern.startsWith("/")) return { folder: fixed === "" ? "/" : fixed, rest };
  const folder = path === undefined ? (fixed === "" ? "." : fixed) : fixed === "" ? path : `${path}/${fixed}`;
  return { folder, rest };
}

interface GlobWish extends Input {
  readonly rest: string;
  readonly matches: Matches;
}

async function glob(parts: FileParts & SearchParts, place: Place, wish: GlobWish): Promise<ToolResult> {
  const { places } = parts;
  const starts = await searchStarts(places, place, ["folder"]);
  const hidden = wish.hidden ?? namesHidden(wish.rest);
  const hits = search(parts, { root: place.root, starts, hidden });
  const sight = places.sight("Glob", place);
  const shown = new ShownLines();
  let more = 0;
  let unnamed = 0;
  let end: SearchEnd = { kind: "all" };
  for (let step = await hits.next(); ; step = await hits.next()) {
    if (step.done === true) {
      end = step.value;
      break;
    }
    const { path } = step.value;
    if (!isWithin(path, place.path)) continue;
    const below = place.path === "." ? path : path.slice(place.path.length + 1);
    const found = places.at(place.root, path);
    if (!wish.matches(below) || !sight.shows(found)) continue;
    if (await isUnnamed(found)) unnamed++;
    else if (shown.lines.length >= MAX_SHOWN || shown.isFull) more++;
    else if ((await isFile(found)) && !shown.push(shownPath(found.shown))) more++;
  }
  if (end.kind === "refused") return failed(end.problem);
  const notes: string[] = [];
  if (more > 0) notes.push(`(${more} more files match: narrow the pattern or the path)`);
  if (end.kind === "cut") notes.push(`(the search was not finished: ${end.why})`);
  if (unnamed > 0) notes.push(unnamedNote(unnamed));
  if (sight.note !== undefined) notes.push(sight.note);
  const isNothing = shown.lines.length === 0 && unnamed === 0;
  return done([...(isNothing ? [nothing(wish, place)] : shown.lines), ...notes].join("\n"));
}

function nothing({ pattern, rest }: GlobWish, { shown }: Place): string {
  const where = shown === "." ? "the workspace" : shown;
  const hint =
    rest.includes("/") || !hasWildcards(rest)
      ? ""
      : ` It looks directly in ${where}: "**/${rest}" looks in all folders below.`;
  return `No file matches ${JSON.stringify(pattern)}.${hint}`;
}
