import type { Memory, MemoryEntry, RelevantWish } from "../ports/index.ts";

const MOST = 8;
const MOST_OF_ONE = 2000;

/** As lines: what cannot be seen is left out, and every entry says whose word it is. */
export async function relevantMemories(
  memory: Pick<Memory, "search">,
  { query, scopes, maxChars }: RelevantWish,
): Promise<string> {
  const found = await memory.search(query, { scopes, limit: MOST });
  const lines: string[] = [];
  let left = maxChars;
  for (const entry of found) {
    const line = lineOf(entry);
    if (line.length + 1 > left) continue; // a shorter one may still fit
    lines.push(line);
    left -= line.length + 1;
  }
  return lines.join("\n");
}

function lineOf({ category, content, from }: MemoryEntry): string {
  const text = visible(content);
  const cut = text.length <= MOST_OF_ONE ? text : `${text.slice(0, MOST_OF_ONE).replace(/[\ud800-\udbff]$/, "")}…`;
  const author = from.isPerson ? "by a person" : `by the agent ${visible(from.by)}`;
  return `- [${category}, ${author}] ${cut.replaceAll("\n", "\n  ")}`;
}

const visible = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    // oxlint-disable-next-line eslint/no-control-regex -- these are what is looked for
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, "");
