// Our own tools as an MCP server for one attempt: on loopback, at a port of its own, for whoever has the attempt's token.
import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler, McpServer, type McpHttpHandler, type Tool as ShownTool } from "@modelcontextprotocol/server";
import type { Tool } from "../../ports/index.ts";
import { Json } from "../../schema/index.ts";
import { SERVER } from "./server-name.ts";
import type { ToolDesk } from "./tool-desk.ts";

const HOST = "127.0.0.1";
const PATH = "/mcp";
const MOST_CONNECTIONS = 64;
const HEADERS_WITHIN_MS = 10_000;

export interface ServedTools extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Once somebody has asked which tools there are. */
  readonly listed: Promise<void>;
}

export async function serveTools(desk: ToolDesk, token: string): Promise<ServedTools> {
  const listed = Promise.withResolvers<void>();
  const handler = createMcpHandler(() => mcpServer(desk, listed.resolve), { responseMode: "sse" });
  const server = createServer((request, response) => {
    void answer(handler, request, response, token).catch(() => response.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.headersTimeout = HEADERS_WITHIN_MS;
  server.requestTimeout = 0; // a call may wait for a person
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, HOST, resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on an address, not on a pipe
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${port}${PATH}`,
    host: HOST,
    port,
    listed: listed.promise,
    async [Symbol.asyncDispose]() {
      await handler.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function mcpServer(desk: ToolDesk, onListed: () => void): McpServer {
  const mcp = new McpServer({ name: SERVER, version: "1.0.0" }, { capabilities: { tools: {} } });
  mcp.server.setRequestHandler("tools/list", () => {
    onListed();
    return { tools: desk.tools.map(shown) };
  });
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    const input = Json.safeParse(params.arguments ?? {});
    const { ok, text } = await desk.call(params.name, input.success ? input.data : null);
    return { content: [{ type: "text", text }], ...(ok ? {} : { isError: true }) };
  });
  return mcp;
}

const shown = ({ name, description, inputSchema, effect }: Tool): ShownTool => ({
  name,
  description,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every tool's input is an object
  inputSchema: inputSchema as ShownTool["inputSchema"],
  annotations: { readOnlyHint: effect === "none", destructiveHint: false, openWorldHint: false },
});

async function answer(
  { fetch }: McpHttpHandler,
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
): Promise<void> {
  if (request.url !== PATH) return void response.writeHead(404).end();
  if (!isToken(request.headers.authorization, token)) return void response.writeHead(401).end();
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answered = await fetch(webRequest(request, gone.signal));
  response.writeHead(answered.status, Object.fromEntries(answered.headers));
  if (answered.body === null) return void response.end();
  for await (const chunk of answered.body) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await new Promise<void>((resolve) => oneOf(response, ["drain", "close"], resolve));
  }
  response.end();
}

function oneOf(response: ServerResponse, events: readonly string[], then: () => void): void {
  for (const event of events) response.once(event, then);
}

function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", headers } = request;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] satisfies [string, string]],
  );
  const isBare = method === "GET" || method === "HEAD";
  const body = isBare ? {} : { body: Readable.toWeb(request), duplex: "half" as const };
  return new Request(`http://${HOST}${PATH}`, { method, headers: given, signal, ...body });
}

function isToken(header: string | undefined, token: string): boolean {
  const [given, wanted] = [header ?? "", `Bearer ${token}`].map((text) => Buffer.from(text));
  return (
    given !== undefined && wanted !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted)
  );
}
