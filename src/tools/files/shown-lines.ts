import { MOST_SHOWN } from "../../domain/summaries.ts";

/** For what is said of the lines at their end. */
const NOTE_CHARS = 1_000;

/** How many characters of lines a result has: of one that is longer, the middle would be cut, and its own notes be wrong. */
export const MOST_LINE_CHARS = MOST_SHOWN - NOTE_CHARS;

/** Lines of a result, as many as a model is shown of one. */
export class ShownLines {
  readonly #lines: string[] = [];
  #chars = 0;
  #isFull = false;

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** A line did not fit: whatever comes after it is not shown, however short. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether it is shown. */
  push(line: string): boolean {
    const chars = line.length + 1;
    this.#isFull ||= this.#chars + chars > MOST_LINE_CHARS;
    if (this.#isFull) return false;
    this.#lines.push(line);
    this.#chars += chars;
    return true;
  }
}
