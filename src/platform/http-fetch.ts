// `fetch` for calls of models, on Node's own HTTP client: one request with a body, no redirects, an answer that streams.
// Node's `fetch` keeps the processor busy for two to three times as long, most of it with each little piece of a stream.
import { type IncomingMessage, type OutgoingHttpHeaders, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { pipeline, type Readable, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { HttpAnswer } from "./http-answer.ts";
import { HttpBody, type OnBytes } from "./http-body.ts";

const CONNECT_MS = 10_000;

export async function httpFetch(
  input: string | URL | Request,
  init: RequestInit = {},
  onBytes?: OnBytes,
): Promise<Response> {
  const { method = "GET", headers, body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("only text is sent to a model");
  const url = addressOf(input instanceof Request ? input.url : String(input));
  const incoming = await send(url, {
    method,
    headers: plain(headers),
    body: body ?? "",
    signal: signal ?? undefined,
  });
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  if (status < 200 || status > 599) {
    incoming.destroy();
    throw new TypeError("fetch failed", { cause: new Error(`the status ${status} is none of HTTP`) });
  }
  const isEmpty = EMPTY.has(status);
  if (isEmpty) incoming.resume();
  const head = { url: url.href, status, statusText, headers: headersOf(incoming) };
  return new HttpAnswer(head, isEmpty ? null : new HttpBody(decoded(incoming, head.headers), onBytes));
}

/** Of the call before, which mostly is that of the next one. Nobody else gets hold of it. */
let latest: URL | undefined;

function addressOf(text: string): URL {
  if (latest?.href !== text) latest = new URL(text);
  return latest;
}

const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Mostly they come as a record already. */
const plain = (headers: RequestInit["headers"] = {}): OutgoingHttpHeaders =>
  Symbol.iterator in headers ? Object.fromEntries(new Headers(headers)) : headers;

function headersOf({ rawHeaders: raw }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let index = 0; index + 1 < raw.length; index += 2) headers.append(raw[index] ?? "", raw[index + 1] ?? "");
  return headers;
}

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
function decoded(incoming: IncomingMessage, headers: Headers): Readable {
  const coding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
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
  readonly headers: OutgoingHttpHeaders;
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

const aborted = (cause: unknown) => new DOMException("This operation was aborted", { name: "AbortError", cause });

/** Once: whoever pays for a call has to know how often it was made. */
function send(url: URL, { method, headers, body, signal }: Sent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) throw aborted(signal.reason);
    const make = url.protocol === "https:" ? secureRequest : plainRequest;
    // By hand: Node would read each part of the address twice.
    const request = make({
      method,
      hostname: url.hostname.replace(/^\[|\]$/g, ""), // of an address in IPv6
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: { "accept-encoding": "identity", ...headers, "content-length": Buffer.byteLength(body) },
    });
    if (signal !== undefined) {
      // By hand: Node's own way hangs seven listeners on every request.
      const stop = () => request.destroy(aborted(signal.reason));
      signal.addEventListener("abort", stop);
      request.on("close", () => signal.removeEventListener("abort", stop));
    }
    request.on("socket", (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => request.destroy(new NoConnection()), CONNECT_MS);
      for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(late));
    });
    request.on("response", resolve);
    request.on("error", (error: NodeJS.ErrnoException) => {
      reject(error.name === "AbortError" ? error : new TypeError("fetch failed", { cause: error }));
    });
    request.end(body);
  });
}
