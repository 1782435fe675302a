import type { OpenFile } from "../../../platform/confined-files.ts";
import { MAX_FILE_BYTES } from "./search-wish.ts";

/** The lines of a file that was searched; undefined where it is too large, or no text. */
export async function linesOf({ handle, info }: OpenFile): Promise<string[] | undefined> {
  if (info.size > MAX_FILE_BYTES) return undefined;
  const bytes = await handle.readFile();
  if (bytes.includes(0)) return undefined;
  const lines = new TextDecoder().decode(bytes).split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}
