// A request for a whole address (`GET http://host/path`), handed on to that host: without the headers that are
// about the connection to the proxy, and on a connection of its own.
import { type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { ReachableHost } from "../../ports/index.ts";
import { canonicalHost } from "./host-names.ts";
import { refuse } from "./problem.ts";

const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Rejects with what is to be answered, unless the answer has begun. */
export async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  connect: (place: ReachableHost) => Promise<Socket>,
): Promise<void> {
  const url = URL.parse(request.url ?? "");
  if (url === null || url.protocol !== "http:")
    throw refuse(400, "This is a proxy: it takes CONNECT, and requests for whole http:// addresses.");
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw refuse(400, "The address names no host.");
  const socket = await connect({ host, port: url.port === "" ? 80 : Number(url.port) });
  const upstream = ask({
    createConnection: () => socket,
    method: request.method ?? "GET",
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: [...passed(request), "host", url.host, "connection", "close", ...framing(request)],
  });
  try {
    // Whoever answers before he has heard all of it is listened to.
    void pipeline(request, upstream).catch(() => undefined);
    const answer = await answered(upstream);
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", passed(answer));
    await pipeline(answer, response);
  } finally {
    socket.destroy();
  }
}

const answered = (upstream: ReturnType<typeof ask>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    upstream.once("response", resolve);
    upstream.once("error", reject);
    upstream.once("close", () => reject(refuse(502, "The connection was closed before there was an answer.")));
  });

/** Names and values in turn, as they were sent. */
function passed({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const isKept = (name: string): boolean => !HOP_BY_HOP.has(name) && name !== "host" && !named.includes(name);
  return rawHeaders.filter((_, at) => isKept((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
}

/** A body of unknown length stays one: without this its bytes would stand there unframed. */
const framing = ({ headers }: IncomingMessage): string[] =>
  headers["transfer-encoding"] === undefined ? [] : ["transfer-encoding", "chunked"];
