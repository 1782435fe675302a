// How much room a text takes on a terminal.
import { stripVTControlCharacters } from "node:util";

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

const columnsOf = (character: string): number => (WIDE.test(character) ? 2 : 1);

/** Columns that a terminal gives to a text. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += columnsOf(character);
  return width;
}

// oxlint-disable-next-line eslint/no-control-regex -- our own colours begin with it
const COLOR = /(\u001b\[[0-9;]*m)/;
const RESET = "\u001b[0m";

/** The text, ended by `…` where it would be wider. Colours take no room, and end with it. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let cut = "";
  let left = width - 1;
  for (const piece of text.split(COLOR)) {
    if (COLOR.test(piece)) {
      cut += piece;
      continue;
    }
    for (const character of piece) {
      left -= columnsOf(character);
      if (left < 0) return `${cut}${COLOR.test(text) ? RESET : ""}…`;
      cut += character;
    }
  }
  return cut;
}
