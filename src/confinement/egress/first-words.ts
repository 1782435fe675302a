// A tunnel may carry anything. What it carries is told by how a client begins: encrypted, some other protocol, or
// plain HTTP, which is then held to what plain HTTP is held to.
import { once } from "node:events";
import type { Duplex } from "node:stream";

export interface FirstWords {
  /** `http2`: in a version that cannot be looked into without speaking it. */
  readonly kind: "http" | "http2" | "other";
  /** What was said, where it is text. */
  readonly line: string;
  /** What cannot be read again, because nothing follows it. */
  readonly rest: Buffer | null;
}

const MOST = 8 * 1024;
/** What may be the beginning of a request, as far as it is there. Servers skip empty lines, and forgive other things. */
const BEGUN = /^[\r\n]*(?:[A-Z-]{1,20}(?:[\t ][^\r\n]*)?)?$/;

/** Waits for so much as is needed; all of it can be read again afterwards. */
export async function firstWords(client: Duplex): Promise<FirstWords> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const chunk: unknown = client.read();
    if (chunk instanceof Buffer) bytes = Buffer.concat([bytes, chunk]);
    const text = bytes.toString("latin1");
    const isOver = client.readableEnded || client.destroyed;
    if (isOver) return { kind: "other", line: text, rest: bytes };
    const mayBeHttp = BEGUN.test(text);
    if (bytes.length > 0 && (!mayBeHttp || bytes.length > MOST)) {
      client.unshift(bytes);
      const [line = ""] = text.replace(/^[\r\n]+/, "").split(/\r?\n/, 1);
      // Of one that is too long, nobody knows what follows.
      return { kind: mayBeHttp ? "http" : kindOf(line), line, rest: null };
    }
    await Promise.race([once(client, "readable"), once(client, "end"), once(client, "close")]);
  }
}

function kindOf(line: string): FirstWords["kind"] {
  const [, version] = /^[A-Z-]+[\t ].*[\t ]HTTP\/(\d)(?:\.\d)?\s*$/.exec(line) ?? [];
  if (version === undefined) return "other";
  return version === "1" ? "http" : "http2";
}
