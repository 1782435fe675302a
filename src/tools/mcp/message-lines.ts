// Messages out of a server's bytes, in bounded memory. A server may be broken or hostile.

/** What a server did that made us stop listening, in words. */
export class ServerFault extends Error {}

const NEWLINE = 0x0a;
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;

/** Line by line, in the reader's own time. Rejects with a `ServerFault` where a line has no end. */
export async function* messageLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    if (length > MAX_BYTES) throw new ServerFault(`it wrote a line of more than ${MAX_BYTES} bytes`);
    if (piece.length > 0) pieces.push(piece);
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      const text = new TextDecoder().decode(Buffer.concat(pieces)).trim();
      [pieces, length, from] = [[], 0, end + 1];
      if (text !== "") yield text;
    }
    add(chunk.slice(from)); // a copy: a few bytes must not keep a large piece alive
  }
}

/** Before it is parsed: whoever looks at the value afterwards may call themselves for every level. */
export function isShallow(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json.charCodeAt(at);
    if (isText) {
      if (char === 0x5c) at++;
      else if (char === 0x22) isText = false;
    } else if (char === 0x22) isText = true;
    else if (char === 0x7b || char === 0x5b) {
      if (++depth > MAX_DEPTH) return false;
    } else if (char === 0x7d || char === 0x5d) depth--;
  }
  return true;
}
