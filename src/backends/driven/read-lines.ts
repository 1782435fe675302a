// Lines of bytes, in bounded memory: a line that is too long is said to be so at once, and the rest of it is dropped.

export type Line = { readonly kind: "text"; readonly text: string } | { readonly kind: "long" };

const NEWLINE = 0x0a;

/**
 * What is not UTF-8 becomes U+FFFD. Empty lines are left out, unless they are wanted. The last line needs no end. The
 * reader sets the pace: nothing is read ahead of it.
 */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
  keepsEmpty = false,
): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let isLong = false;
  const take = (isLast = false): Line | undefined => {
    const text = isLong ? "" : Buffer.concat(pieces).toString("utf8");
    pieces = [];
    length = 0;
    isLong = false;
    return text.trim() === "" && (isLast || !keepsEmpty) ? undefined : { kind: "text", text };
  };
  /** Whether this made it too long. */
  const add = (piece: Uint8Array): boolean => {
    if (isLong) return false;
    length += piece.length;
    isLong = length > maxBytes;
    if (isLong) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
    return isLong;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      if (add(chunk.subarray(from, end))) yield { kind: "long" };
      from = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    // A copy of the rest: a few bytes must not keep a large piece alive.
    if (add(chunk.slice(from))) yield { kind: "long" };
  }
  const last = take(true);
  if (last !== undefined) yield last;
}
