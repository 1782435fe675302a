import * as z from "zod";
import { openConfined } from "../../platform/confined-files.ts";
import type { Tool, ToolResult } from "../../ports/index.ts";
import { defineTool, done, failed } from "../define-tool.ts";
import type { FileParts } from "./file-parts.ts";
import { isImage, natureOf } from "./file-nature.ts";
import { type LineWindow, MAX_LINE_CHARS, readWindow } from "./line-window.ts";
import { onExisting } from "./on-existing.ts";
import type { Place } from "./places.ts";
import { MOST_LINE_CHARS } from "./shown-lines.ts";

const DEFAULT_LINES = 2_000;
const MAX_LINES = 10_000;
const HEAD = 8 * 1024;

const Input = z.strictObject({
  file_path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  offset: z.int().min(1).optional().describe("The first line to read, from 1."),
  limit: z.int().min(1).max(MAX_LINES).optional().describe(`How many lines. Default: ${DEFAULT_LINES}.`),
});

const DESCRIPTION = `Reads a text file of the workspace, with line numbers (number, tab, text). At most ${DEFAULT_LINES} lines \
at once unless \`limit\` says otherwise, and never more than ${MOST_LINE_CHARS} characters; lines over ${MAX_LINE_CHARS} characters are cut. For the rest of a long file call it again \
with \`offset\`. Images and other binary files are named, not shown. For folders there is List.`;

export const readTool = (parts: FileParts): Tool =>
  defineTool(
    {
      name: "Read",
      description: DESCRIPTION,
      effect: "read",
      input: Input,
      reattach: "again",
      plan({ file_path }) {
        const found = parts.places.locate("file_path", file_path);
        return found.ok ? { ok: true, use: { effect: "read", path: found.place.shown } } : found;
      },
      run: ({ file_path, offset = 1, limit = DEFAULT_LINES }) =>
        onExisting(parts, "file_path", file_path, (place) => read(parts, place, { offset, limit })),
    },
    parts.signal,
  );

async function read(parts: FileParts, place: Place, wish: { offset: number; limit: number }): Promise<ToolResult> {
  await using file = await openConfined(place.root, place.path);
  const head = Buffer.alloc(HEAD);
  const { bytesRead } = await file.handle.read(head, 0, HEAD, 0);
  const nature = natureOf(head.subarray(0, bytesRead));
  if (nature !== undefined) return failed(unreadable(place, nature, file.info.size));
  const window = await readWindow(file.handle, wish, parts.signal);
  parts.seen.saw(place, file.info);
  if (file.info.size === 0n) return done(`(${place.shown} is empty)`);
  const { total } = window;
  if (total !== undefined && wish.offset > total)
    return failed(`${place.shown} has ${total} lines: \`offset\` ${wish.offset} is behind its end`);
  if (window.lines.length === 0)
    return failed(`Line ${wish.offset} of ${place.shown} was not reached: only the first 256 MB of a file are read`);
  const text = window.lines.join("\n");
  const notes = notesOf(window, wish.offset);
  return done(notes.length === 0 ? text : `${text}\n\n(${notes.join("; ")})`);
}

function unreadable({ shown }: Place, nature: string, size: bigint): string {
  const what = `${shown} is ${nature} of ${size} bytes`;
  if (isImage(nature)) return `${what}: images are named here, not shown`;
  if (nature === "UTF-16 text") return `${what}: only UTF-8 is read. Convert it first, for example with iconv.`;
  return `${what}, and cannot be read as text`;
}

function notesOf(window: LineWindow, offset: number): string[] {
  const { lines, total, lineEnds, hasMark, isBroken } = window;
  const last = offset + lines.length - 1;
  const notes: string[] = [];
  if (total === undefined) notes.push(`lines ${offset} to ${last} of a very large file; go on with offset ${last + 1}`);
  else if (last < total) notes.push(`lines ${offset} to ${last} of ${total}; go on with offset ${last + 1}`);
  if (lineEnds === "crlf") notes.push("lines end in CRLF, which Edit keeps");
  if (lineEnds === "mixed")
    notes.push("some lines end in CRLF, others in LF: edit those together that end in the same way");
  if (hasMark) notes.push("the file begins with a byte order mark, which Edit keeps");
  if (isBroken) notes.push("some bytes are no UTF-8 and shown as \uFFFD");
  return notes;
}
