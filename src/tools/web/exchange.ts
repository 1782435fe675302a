// One request and its answer, of which only so much is read.
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { type Dispatcher, request } from "undici";

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly maxBytes: number;
}

export interface Answered {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly bytes: Uint8Array;
  /** All of it was read. */
  readonly isWhole: boolean;
}

const USER_AGENT = "cadre-agent";

export async function exchange(agent: Dispatcher, asked: Asked, signal: AbortSignal): Promise<Answered> {
  const { method, url, headers, body, maxBytes } = asked;
  const answer = await request(url, {
    method,
    headers: { "user-agent": USER_AGENT, "accept-encoding": "gzip, br", ...headers },
    body: body ?? null,
    dispatcher: agent,
    signal,
  });
  answer.body.on("error", () => undefined); // also where nobody reads it: an error that nobody hears ends the process
  const flat = new Map(Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), oneText(value)]));
  const { bytes, isWhole } = await readBody(await unpacked(answer.body, flat.get("content-encoding")), maxBytes);
  return { status: answer.statusCode, headers: flat, bytes, isWhole };
}

const oneText = (value: string | string[] | undefined): string =>
  Array.isArray(value) ? value.join(", ") : (value ?? "");

/** A packed answer is unpacked while it is read, so that its bound holds for what comes out. */
async function unpacked(body: Readable, encoding = ""): Promise<Readable> {
  const packing = encoding.trim().toLowerCase();
  if (packing === "" || packing === "identity") return body;
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const first = await pieces.next();
  // Without a body, what it says of its packing is about nothing, or about the body of another request.
  if (first.done === true) return Readable.from([]);
  const tool = packing === "gzip" || packing === "x-gzip" ? createGunzip() : null;
  const used = tool ?? (packing === "br" ? createBrotliDecompress() : null);
  if (used === null) {
    body.destroy();
    throw new Error(`the answer is packed as ${JSON.stringify(packing.slice(0, 40))}, which was not asked for`);
  }
  pipeline(Readable.from(from(first.value, pieces)), used, () => undefined); // whoever reads hears of an error
  used.once("close", () => body.destroy()); // what waits for the next piece is not ended before that comes
  return used;
}

async function* from(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => rest };
}

async function readBody(body: Readable, maxBytes: number): Promise<Pick<Answered, "bytes" | "isWhole">> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const wanted = chunk.subarray(0, maxBytes - length);
    chunks.push(wanted);
    length += wanted.length;
    if (wanted.length < chunk.length) return { bytes: Buffer.concat(chunks), isWhole: false };
  }
  return { bytes: Buffer.concat(chunks), isWhole: true };
}
