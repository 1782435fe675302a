import { basename } from "node:path";
import * as z from "zod";
import { lookConfined, openConfined } from "../../../platform/confined-files.ts";
import type { Tool, ToolResult } from "../../../ports/index.ts";
import { defineTool, done, failed } from "../../define-tool.ts";
import type { FileParts } from "../file-parts.ts";
import { type GrepForm, GrepReport } from "./grep-report.ts";
import { onExisting } from "../on-existing.ts";
import type { Place } from "../places.ts";
import { byFile } from "./by-file.ts";
import { linesOf } from "./found-text.ts";
import { compileGlob, type Matches } from "./glob-pattern.ts";
import { search } from "./search.ts";
import { searchStarts } from "./search-starts.ts";
import { MAX_FILE_BYTES, type SearchParts } from "./search-wish.ts";

const MAX_PATTERN = 1_000;
const MAX_CONTEXT = 50;
const DEFAULT_HEAD = 200;
const MAX_HEAD = 1_000;

const context = z.int().min(0).max(MAX_CONTEXT).optional();

const Input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(MAX_PATTERN)
    .describe(
      "A regular expression for lines, without look-around and back references. Escape braces: `interface\\{\\}`.",
    ),
  path: z.string().min(1).optional().describe("The file or folder to search. Default: the workspace."),
  glob: z
    .string()
    .min(1)
    .optional()
    .describe('Only these files: "*.ts", "src/**/*.{ts,tsx}"; all others with "!" before it.'),
  output_mode: z
    .enum(["files_with_matches", "content", "count"])
    .optional()
    .describe("Names of files (default), the lines that match, or how many lines of each file match."),
  "-i": z.boolean().optional().describe("Upper and lower case are the same. Default: false."),
  "-n": z.boolean().optional().describe("With line numbers (content only). Default: true."),
  "-A": context.describe("Lines to show after each match (content only)."),
  "-B": context.describe("Lines to show before each match (content only)."),
  "-C": context.describe("The same as `context`."),
  context: context.describe("Lines to show before and after each match (content only)."),
  head_limit: z
    .int()
    .min(1)
    .max(MAX_HEAD)
    .optional()
    .describe(`The most lines that match, or files, to return. Default: ${DEFAULT_HEAD}.`),
  hidden: z.boolean().optional().describe("Also files and folders that begin with a dot. Default: false."),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Searches the text of files below a folder of the workspace, line by line. What .gitignore leaves out, hidden files, \
binary files and files over 10 MB are not searched, and links are not followed.`;

export const grepTool = (parts: FileParts & SearchParts): Tool =>
  defineTool(
    {
      name: "Grep",
      description: DESCRIPTION,
      effect: "read",
      input: Input,
      reattach: "again",
      plan({ path = ".", pattern, glob }) {
        if (/[\n\0]/.test(pattern))
          return { ok: false, problem: "`pattern`: a line break cannot match, lines are searched one by one" };
        const found = parts.places.locate("path", path);
        if (!found.ok) return found;
        const filter = filterOf(glob);
        return typeof filter === "string"
          ? { ok: false, problem: filter }
          : { ok: true, use: { effect: "read", path: found.place.shown } };
      },
      run: (input) => {
        const filter = filterOf(input.glob);
        if (typeof filter === "string") return Promise.resolve(failed(filter));
        return onExisting(parts, "path", input.path ?? ".", (place) => grep(parts, place, input, filter));
      },
    },
    parts.signal,
  );

/** Without a slash it is about names, in whatever folder. Paths are relative to the folder that is searched. */
function filterOf(glob: string | undefined): Matches | string {
  if (glob === undefined) return () => true;
  const isNot = glob.startsWith("!");
  const wanted = glob.slice(isNot ? 1 : 0).replace(/^\.?\//, "");
  const compiled = compileGlob(wanted.includes("/") ? wanted : `**/${wanted}`, { braces: true });
  if (!compiled.ok) return `\`glob\`: ${compiled.problem}`;
  return (path) => compiled.value(path) !== isNot;
}

async function grep(
  parts: FileParts & SearchParts,
  place: Place,
  input: Input,
  isWanted: Matches,
): Promise<ToolResult> {
  const { places } = parts;
  const starts = await searchStarts(places, place, ["file", "folder"]);
  const unsearched = starts.includes(place.path) ? await whyUnsearched(place) : undefined;
  if (unsearched !== undefined) return failed(unsearched);
  const lines = { pattern: input.pattern, ignoreCase: input["-i"] ?? false };
  const files = byFile(search(parts, { root: place.root, starts, hidden: input.hidden ?? false, lines }));
  const sight = places.sight("Grep", place);
  const report = new GrepReport(formOf(input));
  for (let step = await files.next(); ; step = await files.next()) {
    if (step.done === true) {
      const end = step.value;
      if (end.kind === "refused") return failed(refusalOf(input.pattern, end.problem));
      return done(report.text(input.pattern, end, sight.note));
    }
    const found = places.at(place.root, step.value.path);
    if (isWanted(below(found, place)) && sight.shows(found)) await report.add(found, step.value);
  }
}

/** In a folder such files are left out; of one that is named itself, "no line matches" would not be true. */
async function whyUnsearched({ root, path, shown }: Place): Promise<string | undefined> {
  if ((await lookConfined(root, path))?.isFile() !== true) return undefined;
  await using file = await openConfined(root, path);
  if ((await linesOf(file)) !== undefined) return undefined;
  return file.info.size > MAX_FILE_BYTES
    ? `${shown} has ${file.info.size} bytes: files over 10 MB are not searched. Read shows parts of it, by \`offset\` and \`limit\`.`
    : `${shown} is not searched: it holds NUL bytes, as binary files and UTF-16 text do`;
}

function refusalOf(pattern: string, problem: string): string {
  const braces = /[{}]/.test(pattern) ? '\nA brace that stands for itself is written "\\{".' : "";
  // ripgrep advises options of its own, which nobody can give it here.
  const said = problem.replace(/\n+Consider enabling [\s\S]*$/, "");
  const lines = said === problem ? "" : "\nLines are searched one by one, without look-around and back references.";
  return `\`pattern\` cannot be used as a regular expression: ${said}${lines}${braces}`;
}

function formOf(input: Input): GrepForm {
  const around = input.context ?? input["-C"] ?? 0;
  return {
    mode: input.output_mode ?? "files_with_matches",
    numbers: input["-n"] ?? true,
    before: input["-B"] ?? around,
    after: input["-A"] ?? around,
    limit: input.head_limit ?? DEFAULT_HEAD,
  };
}

/** A file that was named itself goes by its name. */
function below(found: Place, folder: Place): string {
  if (found.path === folder.path) return basename(found.path);
  return folder.path === "." ? found.path : found.path.slice(folder.path.length + 1);
}
