import { stripVTControlCharacters } from "node:util";

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/u;

/** Columns that a terminal gives to a text. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += WIDE.test(character) ? 2 : 1;
  return width;
}

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
