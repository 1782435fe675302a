// `fetch` for calls of models, on Node's own HTTP client: one request with a body, no redirects, an answer that streams.
// Node's `fetch` keeps the processor busy for two to three times as long, most of it with each little piece of a stream.
import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";

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
  const isEmpty = status === 204 || status === 304;
  if (isEmpty) incoming.resume();
  return new Response(isEmpty ? null : streamOf(incoming), { status, statusText, headers: answer });
};

interface Sent {
  readonly method: string;
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal | undefined;
}

/** A connection that was kept open may have been closed by the other side just now: then nobody has read the request. */
async function send(url: URL, sent: Sent): Promise<IncomingMessage> {
  try {
    return await sendOnce(url, sent);
  } catch (error) {
    if (!(error instanceof ClosedBefore)) throw error;
    return sendOnce(url, sent);
  }
}

class ClosedBefore extends Error {}

/** Nothing was sent: the operating system would wait for minutes. */
class NoConnection extends Error {
  readonly code = "ECONNTIMEOUT";

  constructor() {
    super(`no connection within ${CONNECT_MS / 1000} s`);
  }
}

function sendOnce(url: URL, { method, headers, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body, "utf8");
    const make = url.protocol === "https:" ? secureRequest : plainRequest;
    const request = make(url, {
      method,
      headers: { ...Object.fromEntries(headers), "content-length": bytes.length },
      ...(signal === undefined ? {} : { signal }),
    });
    request.on("socket", (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => request.destroy(new NoConnection()), CONNECT_MS);
      for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(late));
    });
    request.on("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      if (error.name === "AbortError") reject(error);
      else if (request.reusedSocket && error.code === "ECONNRESET") reject(new ClosedBefore());
      else reject(new TypeError("fetch failed", { cause: error }));
    });
    request.end(bytes);
  });
}

function* pairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let index = 0; index + 1 < raw.length; index += 2) yield [raw[index] ?? "", raw[index + 1] ?? ""];
}

/** What comes in one read is handed on in one piece, however many little ones the sender made of it. */
function streamOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
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
