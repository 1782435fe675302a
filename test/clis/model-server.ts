// A model that says what a test wants, in the four protocols that the CLIs speak. On loopback only.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { answerChat, answerGemini, answerMessages, answerResponses, type Call, refuse } from "./model-protocols.ts";

/** One reply. The last one stays for every request that comes after it. */
export type Reply =
  | { readonly text: string; readonly calls?: readonly Call[] | undefined }
  | { readonly calls: readonly Call[]; readonly text?: string | undefined }
  | { readonly status: number; readonly message: string }
  /** Takes the request and never answers. */
  | { readonly hangs: true };

export interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- four protocols, looked into by tests only
  readonly body: any;
}

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** Every request for a reply, in order. */
  readonly asked: readonly Asked[];
}

export interface ModelOptions {
  readonly port?: number;
  /** Requests that offer no tools are for a title or the like: they get a word, and are not counted. */
  readonly ignoresSideCalls?: boolean;
}

export async function startModel(
  replies: readonly Reply[],
  { port = 0, ignoresSideCalls = false }: ModelOptions = {},
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  // Codex tries a socket first, and takes this for a no.
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\n\r\n"));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    const text = await bodyOf(request);
    if (request.method !== "POST" || !PROTOCOL.test(path)) return sayLittle(path, response);
    const body: unknown = JSON.parse(text);
    if (isSideCall(path, body))
      return answerGemini(response, path, { text: '{"complexity_score":1,"complexity_reasoning":"x"}' });
    const isStreamed = typeof body === "object" && body !== null && "stream" in body && body.stream === true;
    if (ignoresSideCalls && path.endsWith("/messages") && !offersTools(body))
      return answerMessages(response, { text: "a title" });
    if (ignoresSideCalls && path.endsWith("/completions") && !offersTools(body))
      return answerChat(response, isStreamed, { text: "a title" });
    const reply = replies[Math.min(asked.length, replies.length - 1)] ?? { text: "ok" };
    asked.push({ path, headers: request.headers, body });
    if ("hangs" in reply) return;
    if ("status" in reply) return refuse(response, reply.status, reply.message);
    if (path.endsWith("/messages")) return answerMessages(response, reply);
    if (path.endsWith("/completions")) return answerChat(response, isStreamed, reply);
    return path.endsWith("/responses") ? answerResponses(response, reply) : answerGemini(response, path, reply);
  }

  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const offersTools = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "tools" in body && Array.isArray(body.tools) && body.tools.length > 0;

const PROTOCOL = /\/(?:messages|responses|chat\/completions)$|:(?:stream)?[gG]enerateContent$/;

/** Gemini asks a small model which large one to ask. */
function isSideCall(path: string, body: unknown): boolean {
  if (!path.includes("enerateContent") || typeof body !== "object" || body === null) return false;
  return JSON.stringify(body).includes("complexity_score");
}

function sayLittle(path: string, response: ServerResponse): void {
  const isCount = path.endsWith("/count_tokens") || path.endsWith(":countTokens");
  const known = isCount
    ? { input_tokens: 42, totalTokens: 42 }
    : path.endsWith("/models")
      ? { data: [], models: [] }
      : null;
  response.writeHead(known === null && path !== "/" ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(known ?? {}));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const unpack = UNPACK[request.headers["content-encoding"] ?? ""];
  return (unpack?.(bytes) ?? bytes).toString();
}

const UNPACK: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};
