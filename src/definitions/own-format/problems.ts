import { LineCounter } from "yaml";

export interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Takes an offset into the file's text. */
export type Report = (offset: number, message: string) => void;

const MAX_PROBLEMS = 100; // a file of nothing but commas has a million

export interface ProblemLog {
  readonly report: Report;
  place(offset: number): { readonly line: number; readonly column: number };
  /** In order of place. */
  list(): Problem[];
}

export function problemLog(text: string): ProblemLog {
  const lines = countLines(text);
  const found: { offset: number; message: string }[] = [];
  const place = (offset: number) => {
    const { line, col } = lines.linePos(Math.min(offset, text.length));
    return { line, column: col };
  };
  return {
    report: (offset, message) => void found.push({ offset, message }),
    place,
    list() {
      const sorted = found.toSorted((one, other) => one.offset - other.offset);
      const shown = sorted.slice(0, MAX_PROBLEMS).map(({ offset, message }) => ({ ...place(offset), message }));
      const next = sorted[MAX_PROBLEMS];
      if (next === undefined) return shown;
      return [...shown, { ...place(next.offset), message: `and ${sorted.length - MAX_PROBLEMS} more problems` }];
    },
  };
}

/** Of the whole file, not of its YAML alone: then every offset has its real line. */
function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  for (let start = 0; start >= 0;) {
    lines.addNewLine(start);
    const end = text.indexOf("\n", start);
    start = end < 0 ? -1 : end + 1;
  }
  return lines;
}
