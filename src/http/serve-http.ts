// `cadre serve`: one port of this machine, behind one door. What is served there brings its own path.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { invalidInput } from "../errors/index.ts";
import type { Doorman } from "./doorman.ts";
import { sendResponse, webRequest } from "./web-request.ts";

/** What answers below one path. */
export type Route = (request: Request) => Promise<Response>;

export interface HttpWishes {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly doorman: Doorman;
  readonly routes: Readonly<Record<string, Route>>;
  readonly log: (line: string) => void;
}

export interface Listening {
  readonly port: number;
  /** No new requests; those that wait are told that it is over. */
  readonly close: () => Promise<void>;
}

/** For what comes in. An answer may take as long as it takes. */
const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
const MOST_CONNECTIONS = 1_024;

const SAFE_HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'",
  "X-Accel-Buffering": "no",
} as const;

export async function serveHttp(wishes: HttpWishes): Promise<Listening> {
  const { host, port, log } = wishes;
  const underWay = new Set<AbortController>();
  const answer = async (incoming: IncomingMessage, to: ServerResponse): Promise<void> => {
    const left = new AbortController();
    underWay.add(left);
    to.once("close", () => left.abort());
    try {
      for (const [name, value] of Object.entries(SAFE_HEADERS)) to.setHeader(name, value);
      await sendResponse(await respond(wishes, webRequest(incoming, left.signal)), to);
    } catch (error) {
      if (!left.signal.aborted) log(`http: ${error instanceof Error ? error.message : String(error)}`);
      if (!to.headersSent) to.writeHead(500);
      to.end();
    } finally {
      underWay.delete(left);
    }
  };
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS }, (incoming, to) => {
    void answer(incoming, to);
  });
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    const refuse = ({ message }: Error) =>
      reject(
        invalidInput(`${host}:${port} cannot be listened on: ${message}`, { hint: "Choose another one: --port 0" }),
      );
    server.once("error", refuse);
    server.listen({ host, port }, resolve);
  });
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port, not on a socket file
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const one of underWay) one.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond({ doorman, routes }: HttpWishes, request: Request): Promise<Response> {
  const refused = doorman(request);
  if (refused !== undefined) return refused;
  const route = routes[new URL(request.url).pathname];
  return route === undefined ? new Response(null, { status: 404 }) : route(request);
}
