// A few lines at the end of a terminal that are drawn again and again, and text that scrolls up above them.
import { cutToWidth, widthOf } from "../render/width.ts";

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Screen {
  /** In one write: `above` scrolls up for good, `lines` take the place of those that were drawn before. */
  draw(lines: readonly string[], above?: readonly string[]): void;
  /** Takes the lines away, and gives the cursor back. It can be drawn on again. */
  clear(): void;
  /** How many lines fit. */
  readonly height: number;
}

const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";
const TO_END_OF_LINE = "\u001b[K";
const TO_END_OF_SCREEN = "\u001b[J";
const up = (lines: number): string => (lines === 0 ? "\r" : `\u001b[${lines}A\r`);

// What a terminal has that does not say: some give 0.
const columnsOf = ({ columns }: Terminal): number => columns || 80;
const rowsOf = ({ rows }: Terminal): number => rows || 24;

export const canRedraw = ({ isTTY }: Terminal, env: Readonly<Record<string, string | undefined>>): boolean =>
  isTTY === true && env["TERM"] !== "dumb";

export function openScreen(terminal: Terminal): Screen {
  let drawn: readonly string[] = [];
  let isHidden = false;
  const restore = () => {
    if (isHidden) terminal.write(SHOW_CURSOR);
    isHidden = false;
  };
  /** Where the terminal has become narrower, a line of before takes several. */
  const drawnRows = (): number =>
    Math.min(
      rowsOf(terminal) - 1,
      drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columnsOf(terminal))), 0),
    );

  return {
    get height() {
      return Math.max(1, rowsOf(terminal) - 2);
    },
    draw(lines, above = []) {
      // One column stays free: a terminal that has filled the last one may or may not begin a new line.
      const next = lines.slice(0, this.height).map((line) => cutToWidth(line, columnsOf(terminal) - 1));
      if (above.length === 0 && next.length === drawn.length && next.every((line, index) => line === drawn[index]))
        return;
      const text = [...above, ...next].map((line) => `${line}${TO_END_OF_LINE}\n`).join("");
      const hide = isHidden ? "" : HIDE_CURSOR;
      if (!isHidden) process.once("exit", restore); // also when a second Ctrl-C ends the process
      isHidden = true;
      terminal.write(`${hide}${up(drawnRows())}${text}${TO_END_OF_SCREEN}`);
      drawn = next;
    },
    clear() {
      if (!isHidden) return;
      terminal.write(`${up(drawnRows())}${TO_END_OF_SCREEN}`);
      drawn = [];
      process.off("exit", restore);
      restore();
    },
  };
}
