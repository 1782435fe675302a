// Between Node's requests and those of the web, which the protocol's library speaks.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Its body is a stream: whoever reads it stops where it gets too long. Aborted when the caller leaves. */
export function webRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers } = incoming;
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value ?? []].flat()) if (!name.startsWith(":")) given.append(name, one);
  const hasBody = method !== "GET" && method !== "HEAD";
  // The name in it is never looked at: the header is. What is no path is none of ours.
  return new Request(new URL(`http://localhost${url.startsWith("/") ? url : "/"}`), {
    method,
    headers: given,
    signal,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- two names of one type
    ...(hasBody ? { body: Readable.toWeb(incoming) as unknown as ReadableStream, duplex: "half" } : {}),
  });
}

/** Sends it, as fast as the caller takes it. Who has left gets nothing, and that is nobody's problem. */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  to.statusCode = response.status;
  for (const [name, value] of response.headers) to.setHeader(name, value);
  if (response.body === null) {
    to.end();
    return;
  }
  to.flushHeaders();
  await pipeline(Readable.fromWeb(response.body), to).catch(() => undefined);
}
