// Some lines of a file, read in pieces: neither a huge file nor an endless line is ever held whole.
import { isUtf8 } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import { MOST_LINE_CHARS } from "./shown-lines.ts";

export interface WindowWish {
  /** The first line wanted, from 1. */
  readonly offset: number;
  readonly limit: number;
}

export interface LineWindow {
  /** Each with its number before it. */
  readonly lines: readonly string[];
  /** How many of them were too long to be shown whole. */
  readonly cutLines: number;
  /** All lines of the file; undefined where its end was not looked for. */
  readonly total: number | undefined;
  /** Of all lines that were looked at, shown or not: `mixed` is some in CRLF, others in LF. */
  readonly lineEnds: "lf" | "crlf" | "mixed";
  readonly hasMark: boolean;
  /** Bytes that are no UTF-8 are shown as U+FFFD. */
  readonly isBroken: boolean;
}

export const MAX_LINE_CHARS = 2_000;
/** Digits of the number of a line, at the least. */
const NUMBER_CHARS = 6;
const MAX_SCAN_BYTES = 256 * 1024 * 1024;
const PIECE = 64 * 1024;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const MARK = "\uFEFF";

export async function readWindow(handle: FileHandle, wish: WindowWish, signal: AbortSignal): Promise<LineWindow> {
  const reader = new WindowReader(wish);
  const piece = Buffer.alloc(PIECE);
  let position = 0;
  for (; position < MAX_SCAN_BYTES && !signal.aborted;) {
    const { bytesRead } = await handle.read(piece, 0, PIECE, position);
    if (bytesRead === 0) return reader.end();
    reader.take(piece.subarray(0, bytesRead));
    position += bytesRead;
  }
  return reader.giveUp();
}

class WindowReader {
  readonly #wish: WindowWish;
  readonly #lines: string[] = [];
  #number = 1;
  /** The beginning of the line that is being read; what is longer than any line that is shown is dropped. */
  #held = Buffer.alloc(0);
  #length = 0;
  #chars = 0;
  /** A line did not fit what is shown at once: the window ends before it. */
  #isFull = false;
  #cutLines = 0;
  #crlfEnds = 0;
  #ends = 0;
  /** The last byte of the piece before. */
  #before = 0;
  #hasMark = false;
  #isBroken = false;

  constructor(wish: WindowWish) {
    this.#wish = wish;
  }

  take(bytes: Buffer): void {
    let from = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      this.#ends++;
      if ((at === 0 ? this.#before : bytes[at - 1]) === RETURN) this.#crlfEnds++;
      this.#hold(bytes.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    this.#hold(bytes.subarray(from));
    this.#before = bytes.at(-1) ?? this.#before;
  }

  end(): LineWindow {
    if (this.#length > 0) this.#endLine();
    return this.#window(this.#number - 1);
  }

  giveUp(): LineWindow {
    return this.#window(undefined);
  }

  #window(total: number | undefined): LineWindow {
    return {
      lines: this.#lines,
      cutLines: this.#cutLines,
      total,
      lineEnds: this.#crlfEnds === 0 ? "lf" : this.#crlfEnds === this.#ends ? "crlf" : "mixed",
      hasMark: this.#hasMark,
      isBroken: this.#isBroken,
    };
  }

  get #isWanted(): boolean {
    const { offset, limit } = this.#wish;
    return this.#number >= offset && this.#lines.length < limit && !this.#isFull;
  }

  #hold(bytes: Buffer): void {
    this.#length += bytes.length;
    if (!this.#isWanted) return;
    const room = MAX_LINE_CHARS * 4 - this.#held.length;
    if (room > 0 && bytes.length > 0) this.#held = Buffer.concat([this.#held, bytes.subarray(0, room)]);
  }

  #endLine(): void {
    if (this.#isWanted) this.#show();
    this.#number++;
    this.#held = Buffer.alloc(0);
    this.#length = 0;
  }

  #show(): void {
    const isWhole = this.#held.length === this.#length;
    let text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#held);
    const isBroken = isWhole && !isUtf8(this.#held);
    if (isWhole && text.endsWith("\r")) text = text.slice(0, -1);
    if (this.#number === 1 && text.startsWith(MARK)) {
      text = text.slice(MARK.length);
      this.#hasMark = true;
    }
    const isCut = !isWhole || text.length > MAX_LINE_CHARS;
    if (isCut) text = `${text.slice(0, MAX_LINE_CHARS).toWellFormed()}… (cut: the line has ${this.#length} bytes)`;
    text = `${String(this.#number).padStart(NUMBER_CHARS)}\t${text}`;
    this.#isFull = this.#chars + text.length + 1 > MOST_LINE_CHARS;
    if (this.#isFull) return;
    if (isBroken) this.#isBroken = true;
    if (isCut) this.#cutLines++;
    this.#lines.push(text);
    this.#chars += text.length + 1;
  }
}
