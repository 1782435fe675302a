// The proxy of one attempt: the only server that its programs can talk to. It looks hosts up itself and connects to
// exactly the addresses that it has looked at. Plain HTTP is held to methods and looked through for secrets, in a tunnel
// too; what is encrypted is not read. Nothing is logged but the names of hosts that it refuses.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Server } from "node:net";
import type { Duplex } from "node:stream";
import type { Resolve } from "../../platform/public-address.ts";
import type { HostRefusal, ReachableHost } from "../../ports/index.ts";
import { connectTo, refusedAt } from "./connect-to.ts";
import { readAuthority } from "./host-names.ts";
import type { NetworkRules } from "./network-rules.ts";
import { passOn } from "./pass-on.ts";
import { asProblem, type Problem, refuse } from "./problem.ts";
import { tunnelTo } from "./tunnel.ts";

export interface ProxyParts {
  readonly rules: NetworkRules;
  readonly resolve: Resolve;
  readonly onRefused: (refusal: HostRefusal) => void;
  readonly carriesSecret: (text: string) => boolean;
}

export interface Proxy {
  /** Takes the place of this server where it listens. */
  listen(server: Server): void;
  /** Ends all connections, and resolves when they are gone. */
  close(): Promise<void>;
}

export interface ProxyLimits {
  readonly connections: number;
  readonly headerBytes: number;
  /** How long a program may take to say what it wants. Looked at as often. */
  readonly headersMs: number;
  readonly idleMs: number;
}

const LIMITS: ProxyLimits = {
  connections: 512,
  headerBytes: 32 * 1024,
  headersMs: 15_000,
  idleMs: 15 * 60_000, // a model may think for long before it says a word
};

export function openProxy(parts: ProxyParts, limits: ProxyLimits = LIMITS): Proxy {
  const open = new Set<Duplex>();
  /** Tunnels that turned out to carry plain HTTP, and where they lead. */
  const inTunnel = new WeakMap<Duplex, ReachableHost>();
  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.headersMs,
    requestTimeout: 0,
  });
  server.maxConnections = limits.connections;
  server.setTimeout(limits.idleMs);
  const kept = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    return socket;
  };
  server.on("connection", kept);
  server.on("connect", (request, client, head) => void tunnel(request, client, head));
  server.on("request", (request, response) => void plain(request, response));
  return {
    listen: (listening) => void server.listen(listening),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };

  async function tunnel({ url = "" }: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on("error", () => client.destroy());
    const place = readAuthority(url);
    if (place === undefined) return answer(client, refuse(400, "CONNECT wants a host and a port"));
    if (inTunnel.has(client)) return answer(client, refuse(400, "There is no tunnel in a tunnel"));
    try {
      if (parts.carriesSecret(url)) throw refusedAt(place, "a secret stands in its name", parts);
      const upstream = kept(await connectTo(place, parts));
      if (client.destroyed) return void upstream.destroy();
      upstream.setTimeout(limits.idleMs, () => upstream.destroy());
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) client.unshift(head);
      if ((await tunnelTo(client, upstream, place, parts)) === "other") return;
      inTunnel.set(client, place);
      server.emit("connection", client);
    } catch (error) {
      answer(client, asProblem(error));
    }
  }

  async function plain(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const connect = async (place: ReachableHost) => kept(await connectTo(place, parts));
      await passOn(request, response, { ...parts, connect, place: inTunnel.get(request.socket) });
    } catch (error) {
      const { status, text } = asProblem(error);
      if (response.headersSent) return void response.destroy();
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(`${text}\n`);
    }
  }
}

/** Where there is no response to write to, only the connection itself. */
function answer(client: Duplex, { status, reason, text }: Problem): void {
  const body = `${text}\n`;
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  client.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
