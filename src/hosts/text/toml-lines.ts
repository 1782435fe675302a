// The lines of a TOML text: where each statement begins and ends, and which table it belongs to.
import { parse, type TomlTable } from "smol-toml";

export interface Statement {
  readonly kind: "header" | "value" | "other";
  readonly start: number;
  /** Behind its line break. */
  readonly end: number;
  /** The names in a header: `["a", "b"]` for `[a.b]` and `[[a.b]]`. */
  readonly table: readonly string[];
}

/** Of a text that a parser takes. A statement may span lines, by a string or a list that does. */
export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: readonly string[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfStatement(text, start);
    const line = text.slice(start, end).trim();
    const kind = line === "" || line.startsWith("#") ? "other" : line.startsWith("[") ? "header" : "value";
    if (kind === "header") table = namesIn(line);
    statements.push({ kind, start, end, table });
    start = end;
  }
  return statements;
}

const QUOTES = ['"""', "'''", '"', "'"] as const;

function endOfStatement(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    const quote = QUOTES.find((one) => text.startsWith(one, at));
    if (quote !== undefined) at = endOfString(text, at, quote) - 1;
    else if (character === "#") at = lineEnd(text, at) - 1;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    else if (character === "\n" && depth <= 0) return at + 1;
  }
  return text.length;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, start: number, quote: (typeof QUOTES)[number]): number {
  const isEscaping = quote.startsWith('"');
  for (let at = start + quote.length; at < text.length; at++) {
    if (isEscaping && text.charAt(at) === "\\") at++;
    else if (text.startsWith(quote, at)) {
      // `""""` ends a long string that has a quote as its last character.
      let end = at + quote.length;
      for (let more = 0; quote.length === 3 && more < 2 && text.charAt(end) === quote.charAt(0); more++) end++;
      return end;
    }
  }
  return text.length;
}

function namesIn(header: string): string[] {
  const names: string[] = [];
  let here: unknown = parse(header);
  for (;;) {
    if (Array.isArray(here)) here = here[0];
    const [only] = isTable(here) ? Object.entries(here) : [];
    if (only === undefined) return names;
    names.push(only[0]);
    here = only[1];
  }
}

const isTable = (value: unknown): value is TomlTable => typeof value === "object" && value !== null;
