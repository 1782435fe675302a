// A terminal, as far as Cadre uses one: what stands on it after everything that was written.
import { stripVTControlCharacters } from "node:util";

// oxlint-disable-next-line eslint/no-control-regex -- this is what a terminal reads
const PIECE = /\u001b\[(\?25[hl]|\d*[A-HJKm]|[\d;]*m)|\r|\n|[^\u001b\r\n]+/g;

export interface ScreenModel {
  readonly columns: number;
  readonly rows: number;
  readonly isTTY: true;
  write(text: string): void;
  /** Lines from the first that was written, without empty ones at the end. */
  lines(): string[];
  isCursorShown(): boolean;
  readonly writes: string[];
}

export function screenModel(columns = 40, rows = 10): ScreenModel {
  const lines: string[] = [""];
  const writes: string[] = [];
  let row = 0;
  let column = 0;
  let isShown = true;
  const put = (text: string) => {
    const line = (lines[row] ?? "").padEnd(column);
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
    if (column > columns) throw new Error(`a line is wider than the terminal: ${JSON.stringify(lines[row])}`);
  };
  const obey = (command: string) => {
    if (command.startsWith("?25")) isShown = command.endsWith("h");
    else if (command.endsWith("A")) row = Math.max(0, row - Number(command.slice(0, -1)));
    else if (command.endsWith("K")) lines[row] = (lines[row] ?? "").slice(0, column);
    else if (command.endsWith("J")) {
      lines[row] = (lines[row] ?? "").slice(0, column);
      lines.length = row + 1;
    }
  };
  return {
    columns,
    rows,
    isTTY: true,
    writes,
    write(text) {
      writes.push(text);
      for (const [piece, command] of text.matchAll(PIECE)) {
        if (command !== undefined) obey(command);
        else if (piece === "\r") column = 0;
        else if (piece === "\n") {
          row += 1;
          column = 0;
          lines[row] ??= "";
        } else put(stripVTControlCharacters(piece));
      }
    },
    lines: () => lines.join("\n").trimEnd().split("\n"),
    isCursorShown: () => isShown,
  };
}
