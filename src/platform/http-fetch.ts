// `fetch` for calls of models, on Node's own HTTP client: one request with a body, no redirects, an answer that streams.
// Node's `fetch` keeps the processor busy for two to three times as long, most of it with each little piece of a stream.
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

const CONNECT_MS = 10_000;
/** More than one piece, and the sender waits until somebody has read some. */
const AHEAD_BYTES = 256 * 1024;

export const httpFetch: typeof fetch = async (input, init) => {
  const { method = "GET", headers, body, signal } = init ?? {};
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("only text is sent to a model");
  const url = new URL(input instanceof Request ? input.url : input);
  const incoming = await send(url, {
    method,
    headers: new Headers(headers),
    body: body ?? "",
    signal: signal ?? undefined,
  });
  const answer = new Headers();
  for (const [name, value] of pairs(incoming.rawHeaders)) answer.append(name, value);
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  if (status < 200 || status > 599) {
    incoming.destroy();
    throw new TypeError("fetch failed", { cause: new Error(`the status ${status} is none of HTTP`) });
  }
  const isEmpty = EMPTY.has(status);
  if (isEmpty) incoming.resume();
  return new Response(isEmpty ? null : streamOf(decoded(incoming)), { status, statusText, headers: answer });
};

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

const FLUSHED = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(FLUSHED),
  "x-gzip": () => createGunzip(FLUSHED),
  deflate: () => createInflate(FLUSHED),
  br: () =>
    createBrotliDecompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    }),
};

/** Nothing is asked for in another coding, and some gateways send it so all the same. */
function decoded(incoming: IncomingMessage): Readable {
  const coding = incoming.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding === "identity" || coding === "") return incoming;
  const decoder = DECODERS[coding]?.();
  if (decoder === undefined) {
    incoming.destroy();
    throw new TypeError("fetch failed", {
      cause: new Error(`the answer is coded as "${coding}", which was not asked for`),
    });
  }
  return pipeline(incoming, decoder, () => undefined); // its stream says what went wrong
}

interface Sent {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/** Nothing was sent: the operating system would wait for minutes. */
class NoConnection extends Error {
  readonly code = "ECONNTIMEOUT";

  constructor() {
    super(`no connection within ${CONNECT_MS / 1000} s`);
  }
}

/** Once: whoever pays for a call has to know how often it was made. */
function send(url: URL, { method, headers, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body, "utf8");
    const make = url.protocol === "https:" ? secureRequest : plainRequest;
    const request = make(url, {
      method,
      headers: { "accept-encoding": "identity", ...Object.fromEntries(headers), "content-length": bytes.length },
      ...(signal === undefined ? {} : { signal }),
    });
    request.on("socket", (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => request.destroy(new NoConnection()), CONNECT_MS);
      for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(late));
    });
    request.on("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      reject(error.name === "AbortError" ? error : new TypeError("fetch failed", { cause: error }));
    });
    request.end(bytes);
  });
}

function* pairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? "", raw[index + 1] ?? ""];
}

/** What comes in one read is handed on in one piece, however many little ones the sender made of it. */
function streamOf(incoming: Readable): ReadableStream<Uint8Array> {
  let pieces: Buffer[] = [];
  let isOver = false;
  const hand = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const [only] = pieces;
    if (isOver || only === undefined) return;
    controller.enqueue(pieces.length === 1 ? only : Buffer.concat(pieces));
    pieces = [];
    if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on("data", (piece: Buffer) => {
          if (pieces.push(piece) === 1) queueMicrotask(() => hand(controller));
        });
        incoming.on("end", () => {
          hand(controller);
          isOver = true;
          controller.close();
        });
        incoming.on("close", () => {
          if (isOver) return;
          isOver = true;
          controller.error(new TypeError("terminated", { cause: incoming.errored ?? undefined }));
        });
        incoming.on("error", () => undefined); // "close" follows, and says so
      },
      pull: () => void incoming.resume(),
      cancel() {
        isOver = true;
        incoming.destroy();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD_BYTES }),
  );
}
