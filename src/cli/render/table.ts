import { widthOf } from "./width.ts";

/** Columns as wide as their widest cell, two spaces apart. The last one is not padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, column) => pad(cell, column === row.length - 1 ? 0 : (widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));
