// Lines out of bytes. What is held is never more than one line, and a line has a bound.

export class LineTooLong extends Error {
  constructor(maxBytes: number) {
    super(`a line of more than ${maxBytes} bytes`);
    this.name = "LineTooLong";
  }
}

const NEWLINE = 0x0a;

/** Without their ends. The reader sets the pace: nothing is read ahead of it. */
export async function* readLines(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  const hold = (piece: Uint8Array) => {
    held += piece.length;
    if (held > maxBytes) throw new LineTooLong(maxBytes);
    if (piece.length > 0) pieces.push(piece);
  };
  const take = (): string => {
    const text = new TextDecoder().decode(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
    pieces = [];
    held = 0;
    return text;
  };
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    hold(chunk.slice(start)); // a copy: a small rest must not keep a large piece alive
  }
  if (held > 0) yield take();
}
