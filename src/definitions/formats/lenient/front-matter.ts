import type { Remark } from "../format.ts";
import { repaired } from "./settings.ts";

export interface Parts {
  /** Null: the file has no front matter at all. */
  readonly yaml: string | null;
  readonly body: string;
  readonly remarks: readonly Remark[];
}

const FENCE = /^---[ \t]*$/;
const NONE: ReadonlySet<string> = new Set();

/** Lines end in `\n` from here on; the body is trimmed. `keys` are the settings that the format knows. */
export function splitFrontMatter(text: string, keys: ReadonlySet<string> = NONE): Parts {
  const remarks: Remark[] = [];
  const plain = (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll("\r\n", "\n");
  const start = plain.search(/\S/);
  const head = start < 0 ? "" : plain.slice(plain.lastIndexOf("\n", start) + 1);
  if (!/^---[ \t]*(?:\n|$)/.test(head)) return { yaml: null, body: plain.trim(), remarks };
  if (head.length !== plain.length) {
    remarks.push(repaired("front matter", "the file does not begin with it: there are blank lines before"));
  }
  const lines = head.split("\n");
  const closing = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  const end = closing > 0 ? closing : endOfSettings(lines, keys);
  if (closing < 0) {
    remarks.push(repaired("front matter", "no line of three dashes closes it; it ends where its settings do"));
  }
  const body = lines.slice(closing > 0 ? end + 1 : end).join("\n");
  return { yaml: lines.slice(1, end).join("\n"), body: body.trim(), remarks };
}

/** The first blank line or heading after the last line that begins a known setting: none may be taken for prose. */
function endOfSettings(lines: readonly string[], keys: ReadonlySet<string>): number {
  const last = lines.findLastIndex((line) => keys.has(/^([\w-]+)[ \t]*:/.exec(line)?.[1] ?? ""));
  const end = lines.findIndex((line, index) => index > Math.max(0, last) && (line.trim() === "" || /^#+ /.test(line)));
  return end < 0 ? lines.length : end;
}
