import * as z from "zod";
import { invalidInput } from "../../../errors/index.ts";
import { type OpenFile, openConfined, replaceConfined } from "../../../platform/confined-files.ts";
import type { Tool, ToolPlan, ToolResult } from "../../../ports/index.ts";
import { defineTool, done, failed } from "../../define-tool.ts";
import { natureOf } from "../file-nature.ts";
import type { FileParts } from "../file-parts.ts";
import { nearestLines } from "./nearest-lines.ts";
import { onExisting } from "../on-existing.ts";
import type { Place } from "../places.ts";
import { type Replaced, replaceText } from "./replace-text.ts";
import { fingerprintOf } from "../seen-files.ts";
import { shortDiff } from "./short-diff.ts";
import { MAX_CONTENT_BYTES, problemOfContent, problemOfText } from "../write-tool.ts";

const Input = z.strictObject({
  file_path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  old_string: z.string().describe("The exact text to replace, without the line numbers of Read."),
  new_string: z.string().describe("The text to put in its place."),
  replace_all: z.boolean().optional().describe("Replace every occurrence. Default: false."),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Replaces an exact text in a file of the workspace. \`old_string\` must occur exactly once, white space included: \
add lines around it until it does, or say \`replace_all\`. Line ends and a byte order mark stay as they are. Returns what changed.`;

export const editTool = (parts: FileParts): Tool =>
  defineTool(
    {
      name: "Edit",
      description: DESCRIPTION,
      effect: "write",
      input: Input,
      plan: (input) => plan(parts, input),
      run: (input) =>
        onExisting(parts, "file_path", input.file_path, (place) =>
          parts.locks.run(place.shown, () => edit(parts, place, input)),
        ),
    },
    parts.signal,
  );

function plan({ places }: FileParts, input: Input): ToolPlan {
  const problem = problemOf(input);
  if (problem !== undefined) return { ok: false, problem };
  const found = places.locate("file_path", input.file_path);
  return found.ok ? { ok: true, use: { effect: "write", path: found.place.shown } } : found;
}

function problemOf({ old_string, new_string }: Input): string | undefined {
  if (old_string === "") return "`old_string` is empty: to make a file, or to write all of it, use Write";
  if (old_string === new_string) return "`old_string` and `new_string` are the same: nothing would change";
  return problemOfText("old_string", old_string) ?? problemOfText("new_string", new_string);
}

async function edit(parts: FileParts, place: Place, input: Input): Promise<ToolResult> {
  const { text, info } = await load(place);
  parts.seen.checkUnchanged(place, info);
  const wish = { old: input.old_string, new: input.new_string, all: input.replace_all ?? false };
  const replaced = replaceText(text, wish);
  if (replaced.kind !== "replaced") return failed(explain(place, text, input.old_string, replaced));
  const problem = problemOfContent(place.shown, replaced.text);
  if (problem !== undefined) return failed(problem);
  const isSame = (now: Parameters<typeof fingerprintOf>[0] | null): void => {
    parts.signal.throwIfAborted();
    if (now === null || fingerprintOf(now) !== fingerprintOf(info))
      throw invalidInput(`${place.shown} has changed meanwhile`, { hint: "Read it again, then repeat this." });
  };
  parts.seen.saw(place, await replaceConfined(place.root, place.path, replaced.text, isSame));
  const times = replaced.times === 1 ? "" : ` in ${replaced.times} places`;
  const diff = shortDiff(place.shown, text, replaced.text) ?? "(the difference is too large to be shown)";
  return done(`Edited ${place.shown}${times}.\n${diff}`);
}

async function load(place: Place): Promise<{ text: string; info: OpenFile["info"] }> {
  await using file = await openConfined(place.root, place.path);
  if (file.info.size > MAX_CONTENT_BYTES)
    throw invalidInput(`${place.shown} has ${file.info.size} bytes; at most ${MAX_CONTENT_BYTES} are edited`);
  const bytes = await file.handle.readFile();
  const nature = natureOf(bytes);
  if (nature !== undefined) throw invalidInput(`${place.shown} is ${nature}: only UTF-8 text is edited`);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, info: file.info };
  } catch (error) {
    throw invalidInput(`${place.shown} holds bytes that are no UTF-8: editing would spoil them`, { cause: error });
  }
}

const WHY_NEAR = {
  numbers: "It begins with the line numbers of Read: leave them out. The file has:",
  spaces: "There is a text that differs only in white space:",
  similar: "The nearest lines are:",
} as const;

function explain({ shown }: Place, text: string, old: string, why: Exclude<Replaced, { kind: "replaced" }>): string {
  if (why.kind === "ambiguous") {
    const lines = `${why.lines.join(", ")}${why.times > why.lines.length ? ", …" : ""}`;
    return `\`old_string\` occurs ${why.times} times in ${shown} (lines ${lines}). Add lines around it until it is unique, or set \`replace_all\`.`;
  }
  const absent = `\`old_string\` does not occur in ${shown}.`;
  const near = nearestLines(text, old);
  if (near === undefined) return `${absent} Read the file, and copy the text exactly.`;
  return `${absent} ${WHY_NEAR[near.why]}\n${near.shown}`;
}
