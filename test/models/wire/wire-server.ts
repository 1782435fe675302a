// Scripted servers on loopback that speak the providers' own formats. A script is a list of replies, one per request,
// or a function of the request. A request that the script has no reply for gets status 500, and the test sees it.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import type { Dialect, Said } from "./dialect.ts";
import { google } from "./google.ts";
import type { WireReply } from "./reply.ts";
import { responses } from "./responses.ts";

export type WireFormat = "anthropic" | "responses" | "chat" | "google";

const DIALECTS: Readonly<Record<WireFormat, Dialect>> = { anthropic, responses, chat, google };

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent. */
  readonly body: unknown;
  /** What it said, whatever the format. */
  readonly said: Said;
}

export interface WireServer {
  /** Without a version at its end, as people write it. */
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** How many connections were broken off by the other side before their answer was over. */
  readonly abandoned: number;
  close(): Promise<void>;
}

export type WireScript = readonly WireReply[] | ((request: WireRequest, n: number) => WireReply | Promise<WireReply>);

export async function startWireServer(format: WireFormat, script: WireScript): Promise<WireServer> {
  const dialect = DIALECTS[format];
  const requests: WireRequest[] = [];
  let abandoned = 0;
  const replyTo = async (request: WireRequest, n: number): Promise<WireReply> =>
    (typeof script === "function" ? await script(request, n) : script[n]) ?? {
      status: 500,
      body: `the script has no reply number ${n + 1}`,
    };

  const server = createServer((incoming, response) => {
    const handle = async () => {
      const path = incoming.url ?? "";
      const text = await bodyOf(incoming);
      if (incoming.method !== "POST" || !dialect.path.test(path)) return void response.writeHead(404).end();
      const headers = plainHeaders(incoming);
      const body: unknown = JSON.parse(text);
      const request = { method: incoming.method, path, headers, body, said: dialect.said(body, headers, path) };
      requests.push(request);
      const n = requests.length - 1;
      response.on("close", () => {
        if (!response.writableFinished) abandoned += 1;
      });
      await answer(dialect, response, await replyTo(request, n), n);
    };
    handle().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get abandoned() {
      return abandoned;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

const plainHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

async function answer(dialect: Dialect, response: ServerResponse, reply: WireReply, n: number): Promise<void> {
  if ("status" in reply) return void response.writeHead(reply.status, reply.headers).end(reply.body);
  if ("failure" in reply) {
    const { status, body } = dialect.failure(reply.failure, reply.message);
    const retry = reply.retryAfter === undefined ? {} : { "retry-after": reply.retryAfter };
    return void response.writeHead(status, { "content-type": "application/json", ...retry }).end(JSON.stringify(body));
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  if ("nothing" in reply) return void response.end();

  const events = dialect.events(reply, n);
  const half = events.findIndex(({ spoken }) => spoken === true) + 1;
  const write = async (list: typeof events) => {
    for (const { event, data } of list) {
      const name = event === undefined ? "" : `event: ${event}\n`;
      const isRoom = response.write(`${name}data: ${JSON.stringify(data)}\n\n`);
      if (!isRoom && !response.destroyed) await drained(response);
    }
  };

  await write(events.slice(0, half));
  if (reply.hold !== undefined) await reply.hold;
  if (reply.overloaded === true) await write([dialect.overloaded()]);
  if (reply.overloaded === true || reply.cut === "politely") return void response.end();
  if (reply.cut === "socket") {
    // What was written must arrive before the break does.
    await new Promise<void>((resolve) => response.write(": about to break\n\n", () => setImmediate(resolve)));
    return void response.destroy();
  }
  await write(events.slice(half, -1));
  if (reply.holdEnd !== undefined) await reply.holdEnd;
  await write(events.slice(half).slice(-1));
  if (dialect.closing !== undefined) response.write(`data: ${dialect.closing}\n\n`);
  response.end();
}

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
