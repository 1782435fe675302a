import * as z from "zod";
import { holdsShapeName } from "../../domain/secret-shapes.ts";
import { openConfined, replaceConfined } from "../../platform/confined-files.ts";
import type { Tool, ToolResult } from "../../ports/index.ts";
import { defineTool, done, failed } from "../define-tool.ts";
import type { FileParts } from "./file-parts.ts";
import { type Located, problemOfNewName } from "./places.ts";

export const MAX_CONTENT_BYTES = 10 * 1024 * 1024;

const Input = z.strictObject({
  file_path: z.string().min(1).describe("The file, relative to the workspace or absolute."),
  content: z.string().describe("All that the file is to hold."),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = `Writes a whole file of the workspace: a new one (folders on the way are made), or one that was read before in \
this attempt and has not changed since. The old file is replaced as a whole, or not at all. To change a part of a file use Edit.`;

export const writeTool = (parts: FileParts): Tool =>
  defineTool(
    {
      name: "Write",
      description: DESCRIPTION,
      effect: "write",
      input: Input,
      plan(input) {
        const found = locate(parts, input);
        return found.ok ? { ok: true, use: { effect: "write", path: found.place.shown } } : found;
      },
      run: (input) => write(parts, input),
      reattach: (input) => wasWritten(parts, input),
    },
    parts.signal,
  );

function locate({ places }: FileParts, { file_path, content }: Input): Located {
  const found = places.locate("file_path", file_path);
  if (!found.ok) return found;
  const folder = file_path.endsWith("/") ? `\`file_path\`: ${file_path} names a folder, not a file` : undefined;
  const problem = folder ?? problemOfNewName("file_path", file_path) ?? problemOfText("content", content);
  return problem === undefined ? found : { ok: false, problem };
}

/** Of what a model has written. */
export const problemOfText = (field: string, text: string): string | undefined =>
  holdsShapeName(text)
    ? `\`${field}\` has {{secret:…}} in it, which stands for a secret that you were not shown: the file would lose it. Change the other lines with Edit, and leave that one as it is.`
    : problemOfContent(field, text);

export function problemOfContent(field: string, text: string): string | undefined {
  if (!text.isWellFormed()) return `\`${field}\` is not well-formed text: half of a character is missing`;
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_CONTENT_BYTES
    ? `\`${field}\` has ${bytes} bytes; at most ${MAX_CONTENT_BYTES} are written`
    : undefined;
}

async function write(parts: FileParts, input: Input): Promise<ToolResult> {
  const found = locate(parts, input);
  if (!found.ok) return failed(found.problem);
  const { place } = found;
  return await parts.locks.run(place.shown, async () => {
    let existed = false;
    const isKnown = parts.seen.checkKnown(place);
    const info = await replaceConfined(place.root, place.path, input.content, (now) => {
      parts.signal.throwIfAborted();
      existed = now !== null;
      isKnown(now);
    });
    parts.seen.saw(place, info);
    return done(`${existed ? "Replaced" : "Created"} ${place.shown} (${sizeOf(input.content)}).`);
  });
}

function sizeOf(text: string): string {
  const lines = text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${Buffer.byteLength(text)} bytes`;
}

/** It was, if the file holds the very content: nothing is written for finding out. */
async function wasWritten(parts: FileParts, input: Input): Promise<ToolResult | undefined> {
  const found = locate(parts, input);
  if (!found.ok) return undefined;
  const { place } = found;
  const file = await openConfined(place.root, place.path).catch(() => null);
  if (file === null) return undefined;
  await using open = file;
  const content = Buffer.from(input.content);
  if (open.info.size !== BigInt(content.length) || !content.equals(await open.handle.readFile())) return undefined;
  parts.seen.saw(place, open.info);
  return done(`${place.shown} holds the content (${sizeOf(input.content)}).`);
}
