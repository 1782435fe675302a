// What a search for lines amounts to, in the form that was asked for and not longer than that.
import { CadreError } from "../../../errors/index.ts";
import { openConfined } from "../../../platform/confined-files.ts";
import type { Place } from "../places.ts";
import { ShownLines } from "../shown-lines.ts";
import { isUnnamed, unnamedNote } from "../unnamed.ts";
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

export class GrepReport {
  readonly #form: GrepForm;
  readonly #shown = new ShownLines();
  #used = 0;
  #moreFiles = 0;
  #moreLines = 0;
  #unnamed = 0;

  constructor(form: GrepForm) {
    this.#form = form;
  }

  async add(place: Place, hits: FileHits): Promise<void> {
    const isFull = this.#used >= this.#form.limit || this.#shown.isFull;
    const lines = isFull ? undefined : await textAt(place);
    if (isFull) {
      this.#moreFiles++;
      this.#moreLines += hits.times;
    } else if (lines !== undefined) this.#show(shownPath(place.shown), hits, lines);
    else if (await isUnnamed(place)) this.#unnamed++;
  }

  text(pattern: string, end: SearchEnd, note?: string): string {
    const notes: string[] = [];
    const isFull = this.#shown.isFull;
    if (isFull || this.#moreLines > 0)
      notes.push(`(${this.#more()}: narrow the search${isFull ? "" : ", or raise `head_limit`"})`);
    if (end.kind === "cut") notes.push(`(the search was not finished: ${end.why})`);
    if (this.#unnamed > 0) notes.push(unnamedNote(this.#unnamed));
    if (note !== undefined) notes.push(note);
    const { lines } = this.#shown;
    const isNothing = lines.length === 0 && this.#unnamed === 0;
    return [...(isNothing ? [`No line matches ${JSON.stringify(pattern)}.`] : lines), ...notes].join("\n");
  }

  #more(): string {
    if (this.#moreLines === 0) return "the lines around the last one are cut";
    if (this.#form.mode !== "content") return `${this.#moreFiles} more files match`;
    const where = this.#moreFiles === 0 ? "" : `, in ${this.#moreFiles} more files`;
    return `${this.#moreLines} more lines match${where}`;
  }

  #show(name: string, hits: FileHits, lines: readonly string[]): void {
    const { mode, limit } = this.#form;
    if (mode === "content") {
      const wanted = hits.lines.slice(0, limit - this.#used);
      const shown = this.#showLines(name, wanted, lines);
      this.#used += shown;
      this.#moreLines += hits.times - shown;
      return;
    }
    if (this.#shown.push(mode === "count" ? `${name}:${hits.times}` : name)) this.#used++;
    else {
      this.#moreFiles++;
      this.#moreLines += hits.times;
    }
  }

  /** How many of the matches are shown. */
  #showLines(name: string, matches: readonly number[], lines: readonly string[]): number {
    const { before, after, numbers } = this.#form;
    const isMatch = new Set(matches);
    let last = 0;
    let shown = 0;
    for (const match of matches) {
      const from = Math.max(1, match - before, last + 1);
      if (before + after > 0 && this.#shown.lines.length > 0 && (last === 0 || from > last + 1)) this.#shown.push("--");
      for (let line = from; line <= Math.min(match + after, lines.length); line++) {
        const sign = isMatch.has(line) ? ":" : "-";
        if (!this.#shown.push(`${name}${sign}${numbers ? `${line}${sign}` : ""}${cut(lines[line - 1] ?? "")}`))
          return shown;
        if (isMatch.has(line)) shown++;
        last = line;
      }
    }
    return shown;
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
