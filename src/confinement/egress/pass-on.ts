// A request for a whole address (`GET http://host/path`), handed on to that host: without the headers that are
// about the connection to the proxy, and on a connection of its own.
import { type IncomingMessage, request as ask, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { PassThrough, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReachableHost } from "../../ports/index.ts";
import { refusedAt } from "./connect-to.ts";
import { canonicalHost } from "./host-names.ts";
import { refuse } from "./problem.ts";
import type { ProxyParts } from "./proxy.ts";

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

export interface PassParts extends Pick<ProxyParts, "rules" | "carriesSecret" | "onRefused"> {
  readonly connect: (place: ReachableHost) => Promise<Socket>;
  /** Where the tunnel leads that the request came through: there it goes, whatever it says itself. */
  readonly place?: ReachableHost | undefined;
}

/** Rejects with what is to be answered, unless the answer has begun. */
export async function passOn(request: IncomingMessage, response: ServerResponse, parts: PassParts): Promise<void> {
  const url = addressOf(request, parts.place);
  const host = canonicalHost(url.hostname);
  if (host === undefined) throw refuse(400, "The address names no host.");
  const place = { host, port: url.port === "" ? 80 : Number(url.port) };
  const isLooked = !parts.rules.isAdded(place.host, place.port);
  if (isLooked) check(request, place, parts);
  const socket = await parts.connect(place);
  const upstream = ask({
    createConnection: () => socket,
    method: request.method ?? "GET",
    path: `${url.pathname}${url.search}`,
    setHost: false,
    headers: [...passed(request), "host", url.host, "connection", "close", ...framing(request)],
  });
  try {
    // Whoever answers before he has heard all of it is listened to.
    const sent = pipeline(request, isLooked ? lookedThrough(place, parts) : new PassThrough(), upstream);
    const answer = await Promise.race([answered(upstream), sent.then(() => answered(upstream))]);
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? "", passed(answer));
    await pipeline(answer, response);
  } finally {
    socket.destroy();
  }
}

function addressOf({ url: text = "" }: IncomingMessage, place: ReachableHost | undefined): URL {
  if (place === undefined) {
    const url = URL.parse(text);
    if (url?.protocol === "http:") return url;
    throw refuse(400, "This is a proxy: it takes CONNECT, and requests for whole http:// addresses.");
  }
  const at = `http://${place.host.includes(":") ? `[${place.host}]` : place.host}:${place.port}`;
  const url = URL.parse(text, at);
  if (url === null) throw refuse(400, "The address cannot be read.");
  return new URL(`${url.pathname}${url.search}`, at);
}

/** These ask, and change nothing. */
const ASKING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function check(
  { method = "GET", url = "", rawHeaders }: IncomingMessage,
  place: ReachableHost,
  parts: PassParts,
): void {
  if (!ASKING.has(method) && !parts.rules.mayChange(place.host, place.port))
    throw refusedAt(
      place,
      `${method} by plain http needs the host with its port among those of this agent; use https`,
      parts,
    );
  if (parts.carriesSecret([url, ...rawHeaders].join("\n"))) throw refusedAt(place, SECRET, parts);
}

const SECRET = "what was to be sent by plain http holds a secret";
/** Longer than any token: one that is cut in two stands in two pieces next to each other. */
const OVERLAP = 4096;

function lookedThrough(place: ReachableHost, parts: PassParts): Transform {
  let before = "";
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const text = `${before}${chunk.toString("latin1")}`;
      before = text.slice(-OVERLAP);
      if (parts.carriesSecret(text)) done(refusedAt(place, SECRET, parts));
      else done(null, chunk);
    },
  });
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
