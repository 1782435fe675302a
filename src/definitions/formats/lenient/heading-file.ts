// A file without front matter: its first heading is the name, a `## Tools` list the tools, the rest the prompt.
import type { JsonObject } from "../../../schema/index.ts";

export interface HeadingFile {
  /** `name` (as written), `description`, and `tools` where there is a list. */
  readonly settings: JsonObject;
  readonly body: string;
}

/** Undefined where the text does not begin with a heading. */
export function readHeadingFile(text: string): HeadingFile | undefined {
  const [first = "", ...lines] = text.split("\n");
  const title = first.startsWith("# ") ? first.slice(2).trim().slice(0, MAX_ITEM) : "";
  if (title === "") return undefined;
  const settings = { name: title, description: title };
  const start = lines.findIndex((line) => /^## +Tools\s*$/i.test(line));
  if (start < 0) return { settings, body: lines.join("\n").trim() };
  const next = lines.findIndex((line, index) => index > start && /^#{1,2} /.test(line));
  const end = next < 0 ? lines.length : next;
  const tools = lines.slice(start + 1, end).flatMap(toolIn);
  const body = [...lines.slice(0, start), ...lines.slice(end)].join("\n").trim();
  return { settings: { ...settings, tools }, body };
}

const MAX_ITEM = 200;

/** "- `read_file` - reads files" is `read_file`. */
function toolIn(line: string): string[] {
  const [, item = ""] = /^\s*[-*+] +(.+)$/.exec(line.slice(0, MAX_ITEM)) ?? [];
  const name = item
    .replaceAll("`", "")
    .replace(/\s+(?:-|–|—|:).*$|:\s.*$/, "")
    .trim();
  return name === "" ? [] : [name];
}
