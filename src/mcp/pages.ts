/** A part of a text that does not fit into one reply. */
export interface Page {
  readonly text: string;
  /** Where the next one begins; null after the last. */
  readonly next: number | null;
  readonly total: number;
}

/** From `cursor` on, at most `size` characters, and never through the middle of one that is two units long. */
export function pageOf(text: string, cursor: number, size: number): Page {
  const start = Math.min(isInside(text, cursor) ? cursor - 1 : cursor, text.length);
  let end = Math.min(start + Math.max(size, 2), text.length);
  if (isInside(text, end)) end--;
  return { text: text.slice(start, end), next: end < text.length ? end : null, total: text.length };
}

const isInside = (text: string, at: number): boolean => {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
};
