// One exact text in place of another. The file's own line ends are kept, whichever the model wrote.

export interface Replacement {
  readonly old: string;
  readonly new: string;
  readonly all: boolean;
}

export type Replaced =
  | { readonly kind: "replaced"; readonly text: string; readonly times: number }
  | { readonly kind: "absent" }
  | { readonly kind: "ambiguous"; readonly lines: readonly number[]; readonly times: number };

const MAX_PLACES = 10;
const LONE_FEED = /(?<!\r)\n/g;

export function replaceText(text: string, wish: Replacement): Replaced {
  const asWritten = replaceExact(text, wish);
  if (asWritten.kind !== "absent" && !isCrlf(text)) return asWritten;
  if (!text.includes("\r\n")) return asWritten;
  return replaceExact(text, { ...wish, old: toCrlf(wish.old), new: toCrlf(wish.new) });
}

/** Every line of it ends so. */
const isCrlf = (text: string): boolean => text.includes("\r\n") && !/(?<!\r)\n/.test(text);

const toCrlf = (text: string): string => text.replaceAll(LONE_FEED, "\r\n");

function replaceExact(text: string, wish: Replacement): Replaced {
  const first = text.indexOf(wish.old);
  if (first < 0) return { kind: "absent" };
  if (wish.all) {
    const parts = text.split(wish.old);
    return { kind: "replaced", text: parts.join(wish.new), times: parts.length - 1 };
  }
  if (text.indexOf(wish.old, first + 1) >= 0) return { kind: "ambiguous", ...placesOf(text, wish.old) };
  const replaced = text.slice(0, first) + wish.new + text.slice(first + wish.old.length);
  return { kind: "replaced", text: replaced, times: 1 };
}

function placesOf(text: string, old: string): { lines: number[]; times: number } {
  const lines: number[] = [];
  let times = 0;
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + 1)) {
    times++;
    if (lines.length >= MAX_PLACES) continue;
    for (let feed = text.indexOf("\n", counted); feed >= 0 && feed < at; feed = text.indexOf("\n", counted)) {
      line++;
      counted = feed + 1;
    }
    lines.push(line);
  }
  return { lines, times };
}
