// What a search for lines amounts to, in the form that was asked for and not longer than that.
import { CadreError } from "../../../errors/index.ts";
import { openConfined } from "../../../platform/confined-files.ts";
import type { Place } from "../places.ts";
import type { FileHits } from "./by-file.ts";
import { linesOf } from "./found-text.ts";
import type { SearchEnd } from "./search-wish.ts";
import { shownPath } from "./shown-path.ts";

export interface GrepForm {
  readonly mode: "files_with_matches" | "content" | "count";
  readonly numbers: boolean;
  readonly before: number;
  readonly after: number;
  /** Of lines that match, or of files. */
  readonly limit: number;
}

const MAX_LINE_CHARS = 500;
const MAX_CHARS = 60_000;

export class GrepReport {
  readonly #form: GrepForm;
  readonly #shown: string[] = [];
  #used = 0;
  #chars = 0;
  #moreFiles = 0;
  #moreLines = 0;

  constructor(form: GrepForm) {
    this.#form = form;
  }

  async add(place: Place, hits: FileHits): Promise<void> {
    const isFull = this.#used >= this.#form.limit || this.#chars >= MAX_CHARS;
    const lines = isFull ? undefined : await textAt(place);
    if (isFull) {
      this.#moreFiles++;
      this.#moreLines += hits.times;
    } else if (lines !== undefined) this.#show(shownPath(place.shown), hits, lines);
  }

  text(pattern: string, end: SearchEnd, note?: string): string {
    const notes: string[] = [];
    if (this.#moreLines > 0) notes.push(`(${this.#more()}: narrow the search, or raise \`head_limit\`)`);
    if (end.kind === "cut") notes.push(`(the search was not finished: ${end.why})`);
    if (note !== undefined) notes.push(note);
    const shown = this.#shown.length === 0 ? [`No line matches ${JSON.stringify(pattern)}.`] : this.#shown;
    return [...shown, ...notes].join("\n");
  }

  #more(): string {
    if (this.#form.mode !== "content") return `${this.#moreFiles} more files match`;
    const where = this.#moreFiles === 0 ? "" : `, in ${this.#moreFiles} more files`;
    return `${this.#moreLines} more lines match${where}`;
  }

  #show(name: string, hits: FileHits, lines: readonly string[]): void {
    const { mode, limit } = this.#form;
    if (mode === "content") {
      const wanted = hits.lines.slice(0, limit - this.#used);
      this.#used += wanted.length;
      this.#moreLines += hits.times - wanted.length;
      this.#showLines(name, wanted, lines);
      return;
    }
    this.#used++;
    this.#push(mode === "count" ? `${name}:${hits.times}` : name);
  }

  #showLines(name: string, matches: readonly number[], lines: readonly string[]): void {
    const { before, after, numbers } = this.#form;
    const isMatch = new Set(matches);
    let last = 0;
    for (const match of matches) {
      const from = Math.max(1, match - before, last + 1);
      if (before + after > 0 && this.#shown.length > 0 && (last === 0 || from > last + 1)) this.#push("--");
      for (let line = from; line <= Math.min(match + after, lines.length); line++) {
        const sign = isMatch.has(line) ? ":" : "-";
        this.#push(`${name}${sign}${numbers ? `${line}${sign}` : ""}${cut(lines[line - 1] ?? "")}`);
        last = line;
      }
    }
  }

  #push(line: string): void {
    this.#shown.push(line);
    this.#chars += line.length + 1;
  }
}

const cut = (line: string): string =>
  line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;

/** Undefined: not there (any more), behind a link, or no text. */
async function textAt({ root, path }: Place): Promise<string[] | undefined> {
  try {
    await using file = await openConfined(root, path);
    return await linesOf(file);
  } catch (error) {
    if (CadreError.isInstance(error)) return undefined;
    throw error;
  }
}
