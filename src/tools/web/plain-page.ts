// A page as text, in one pass and without a tree: for pages that are too large or too deep for more.

const SKIPPED: ReadonlySet<string> = new Set("script style noscript template svg head".split(" "));
const BLOCKS: ReadonlySet<string> = new Set(
  "address article aside blockquote br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul".split(
    " ",
  ),
);

export const plainPage = (html: string): string => tidy(entities(withoutTags(html)));

/** Every place is looked at once: what is never closed ends the search, and is not looked for again. */
function withoutTags(html: string): string {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    parts.push(html.slice(at, open));
    const [, slash = "", name = ""] = /^<(\/?)([a-z][a-z0-9:-]{0,30})?/.exec(lower.slice(open, open + 40)) ?? [];
    if (name === "" && !lower.startsWith("<!", open) && !lower.startsWith("<?", open)) {
      parts.push("<"); // no tag: somebody compares numbers
      at = open + 1;
      continue;
    }
    const end = endOf(lower, open, slash === "" && SKIPPED.has(name) ? name : "");
    if (end < 0) return parts.join("");
    parts.push(mark(slash === "/", name));
    at = end;
  }
  return parts.join("") + html.slice(at);
}

/** Behind a tag, a comment, or all that nobody reads. */
function endOf(lower: string, open: number, skipped: string): number {
  const closing = lower.startsWith("<!--", open) ? "-->" : skipped === "" ? ">" : `</${skipped}`;
  const found = lower.indexOf(closing, open + 1);
  return found < 0 ? -1 : skipped === "" ? found + closing.length : found;
}

function mark(isEnd: boolean, name: string): string {
  const level = /^h([1-6])$/.exec(name)?.[1];
  if (level !== undefined && !isEnd) return `\n\n${"#".repeat(Number(level))} `;
  if (name === "li" && !isEnd) return "\n- ";
  if (name === "td" || name === "th") return " ";
  return BLOCKS.has(name) ? "\n" : "";
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
};

const entities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (typeof name === "string") return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : "";
  });

/** Line by line: a pattern over all of it would try every run of blanks from each of its places. */
function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const clean = line.split(/\s+/).filter(Boolean).join(" ");
    if (clean !== "" || (lines.length > 0 && lines.at(-1) !== "")) lines.push(clean);
  }
  return lines.join("\n").trim();
}
