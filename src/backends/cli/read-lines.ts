// Lines of bytes, in bounded memory: a line that is too long is left out, and how long it was is said.

export type Line = { readonly kind: "text"; readonly text: string } | { readonly kind: "cut"; readonly bytes: number };

const NEWLINE = 0x0a;

/** What is not UTF-8 becomes U+FFFD. Empty lines are left out. The last line needs no end. */
export async function* readLines(stream: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const take = (): Line | undefined => {
    const line: Line =
      length > maxBytes
        ? { kind: "cut", bytes: length }
        : { kind: "text", text: Buffer.concat(pieces).toString("utf8") };
    pieces = [];
    length = 0;
    return line.kind === "text" && line.text.trim() === "" ? undefined : line;
  };
  const add = (piece: Uint8Array) => {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE, from); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      if (line !== undefined) yield line;
    }
    add(chunk.subarray(from));
  }
  const last = length === 0 ? undefined : take();
  if (last !== undefined) yield last;
}
