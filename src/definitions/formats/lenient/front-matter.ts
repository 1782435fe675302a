import type { Remark } from "../format.ts";
import { repaired } from "./settings.ts";

export interface Parts {
  /** Null: the file has no front matter at all. */
  readonly yaml: string | null;
  readonly body: string;
  readonly remarks: readonly Remark[];
}

const FENCE = /^---[ \t]*$/;
const MAX_HEAD_LINES = 2000;

/** Lines end in `\n` from here on; the body is trimmed. */
export function splitFrontMatter(text: string): Parts {
  const remarks: Remark[] = [];
  const plain = (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll("\r\n", "\n");
  const start = plain.search(/\S/);
  const head = start < 0 ? "" : plain.slice(plain.lastIndexOf("\n", start) + 1);
  if (!/^---[ \t]*(?:\n|$)/.test(head)) return { yaml: null, body: plain.trim(), remarks };
  if (head.length !== plain.length) {
    remarks.push(
      repaired("front matter", "the file does not begin with its front matter; what stands before it is blank"),
    );
  }
  const lines = head.split("\n", MAX_HEAD_LINES);
  const closing = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  const end = closing > 0 ? closing : endOfSettings(lines);
  if (closing < 0)
    remarks.push(repaired("front matter", "no line of three dashes closes it; it ends where its settings do"));
  const yaml = lines.slice(1, end).join("\n");
  const taken = lines.slice(0, closing > 0 ? end + 1 : end).reduce((sum, line) => sum + line.length + 1, 0);
  return { yaml, body: head.slice(taken).trim(), remarks };
}

/** The first blank line or heading; else the first line that can be no YAML. */
function endOfSettings(lines: readonly string[]): number {
  const end = lines.findIndex((line, index) => index > 0 && (line.trim() === "" || /^#+ /.test(line)));
  return end < 0 ? lines.length : end;
}
