// A model's API as a program may see it: at a port of this machine, for a key that is worth nothing elsewhere. The real
// key is put in here, on the way to the one host that it is for, and never reaches the program.
import { createServer, type IncomingMessage, request as askPlainly, type ServerResponse } from "node:http";
import { request as askSafely } from "node:https";
import { pipeline } from "node:stream/promises";
import type { ModelUsage } from "../../schema/index.ts";
import { portOf } from "./api-hosts.ts";
import { UsageMeter } from "./usage-meter.ts";

export interface GatewayOptions {
  /** Where the real API is. */
  readonly address: URL;
  /** Behind that address, what may be asked for. */
  readonly paths: readonly string[];
  /** What the program has in place of the key. It cannot be guessed: whoever has it is the program. */
  readonly standIn: string;
  readonly key: string;
}

export interface Gateway extends AsyncDisposable {
  readonly port: number;
  /** What the answers say to have used since this was last asked. Undefined: nothing said anything. */
  takeUsage(): ModelUsage | undefined;
}

const MOST_CONNECTIONS = 64;
const HEADERS_MS = 15_000;
const ANSWER_MS = 15 * 60_000;
const KEY_HEADERS: readonly string[] = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
const KEY_PARAMETER = "key";
/** About the connection, which is another one; and nothing is packed, so that it can be metered. */
const OURS = new Set(
  "accept-encoding connection host keep-alive proxy-authorization proxy-connection te upgrade".split(" "),
);
const METHODS = new Set(["GET", "HEAD", "POST"]);

export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const meter = new UsageMeter();
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: 0 }, (request, response) => {
    void handOn(request, response, options, meter).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else say(response, 502, `the model's API could not be reached (${codeOf(error)})`);
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen({ host: "127.0.0.1", port: 0 }, () => resolve());
  });
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : 0,
    takeUsage: () => meter.take(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handOn(
  request: IncomingMessage,
  response: ServerResponse,
  options: GatewayOptions,
  meter: UsageMeter,
): Promise<void> {
  const { address, paths, standIn, key } = options;
  // No answer before this: whoever else is on this machine learns nothing, and spends nothing.
  if (!carries(request, standIn)) return say(response, 401, "this key is not known here");
  if (request.headers.upgrade !== undefined) return say(response, 426, "only plain requests are taken here");
  const asked = placeOf(request);
  const base = address.pathname.replace(/\/$/, "");
  const isOpen = asked !== null && paths.some((path) => isLike(asked.pathname, `${base}${path}`));
  if (asked === null || !isOpen || !METHODS.has(request.method ?? ""))
    return say(response, 403, "only the model itself can be asked from here");
  if (asked.searchParams.get(KEY_PARAMETER) === standIn) asked.searchParams.set(KEY_PARAMETER, key);
  const ask = address.protocol === "https:" ? askSafely : askPlainly;
  const upstream = ask({
    host: address.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: portOf(address),
    method: request.method,
    path: `${asked.pathname}${asked.search}`,
    setHost: false,
    agent: false,
    timeout: ANSWER_MS,
    headers: [...passed(request, standIn, key), "host", address.host, "connection", "close"],
  });
  upstream.once("timeout", () => upstream.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve).once("error", reject);
    upstream.once("close", () => reject(new Error("closed")));
  });
  void pipeline(request, upstream).catch(() => undefined); // who hears of it is waiting for the answer
  const answer = await answered;
  response.writeHead(answer.statusCode ?? 502, passed(answer, key, standIn));
  response.flushHeaders(); // a stream may take its time to begin
  await pipeline(answer, meter.watch(answer.headers["content-type"] ?? ""), response);
}

const NAME = /^\/[\w.@~-]+$/;

/** Of the same segments, where a name stands for `*`. Dots and slashes were made plain when the address was read. */
const isLike = (path: string, pattern: string): boolean => {
  const [given, wanted] = [path.split(/(?=[/:])/), pattern.split(/(?=[/:])/)];
  return (
    given.length === wanted.length &&
    wanted.every((part, at) => (part === "/*" ? NAME.test(given[at] ?? "") : part === given[at]))
  );
};

/** A path of this server, and nothing that names another one. */
const placeOf = ({ url = "" }: IncomingMessage): URL | null =>
  /^\/(?!\/)/.test(url) ? URL.parse(url, "http://gateway") : null;

function carries(request: IncomingMessage, standIn: string): boolean {
  const { headers } = request;
  const values = KEY_HEADERS.map((name) => headers[name]).filter((value) => typeof value === "string");
  const inQuery = placeOf(request)?.searchParams.get(KEY_PARAMETER);
  return values.some((value) => value.replace(/^Bearer /i, "") === standIn) || inQuery === standIn;
}

/** Names and values in turn, with one key in place of the other. */
function passed({ rawHeaders }: IncomingMessage, from: string, to: string): string[] {
  return rawHeaders.flatMap((name, at) => {
    if (at % 2 === 1 || OURS.has(name.toLowerCase())) return [];
    return [name, (rawHeaders[at + 1] ?? "").replaceAll(from, to)];
  });
}

function say(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ type: "error", error: { type: "gateway", message: `Cadre: ${message}` } });
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "no answer";
