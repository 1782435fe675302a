import { createServer, type IncomingHttpHeaders, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { openGateway } from "../../../src/backends/model-access/key-gateway.ts";

const KEY = "sk-real-and-secret";
const STAND_IN = "cadre-stand-in";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An API of this machine that has seen these, and a gateway before it. */
async function openApi(base = "", paths: readonly string[] = ["/v1/messages"]) {
  const seen: Seen[] = [];
  const api = createServer((request, response) => {
    void (async () => {
      let body = "";
      for await (const part of request) body += String(part);
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body });
      response.writeHead(200, { "content-type": "text/event-stream", "x-echo": String(headers["x-api-key"]) });
      response.write("data: first\n\n");
      setImmediate(() => response.end("data: last\n\n"));
    })();
  });
  await new Promise<void>((resolve) => void api.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    api.close();
    api.closeAllConnections();
  });
  const address = new URL(`http://127.0.0.1:${(api.address() as AddressInfo).port}${base}`);
  const gateway = await openGateway({ address, paths, standIn: STAND_IN, key: KEY });
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return { seen, address, port: gateway.port, close: () => gateway[Symbol.asyncDispose]() };
}

interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** As it is written: `fetch` would make the path plain first. */
const get = (port: number, path: string, { method = "POST", headers = {}, body = "" }: Asking = {}) =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const sent = { "x-api-key": STAND_IN, ...headers };
    const asked = ask({ host: "127.0.0.1", port, path, method, headers: sent }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
    });
    asked.on("error", reject).end(body);
  });

describe("the gateway", () => {
  it("puts the key in, hands everything else on, and streams the answer", async () => {
    const { seen, port, address } = await openApi();
    const answer = await get(port, "/v1/messages?beta=true", { headers: { "x-mine": "yes" }, body: '{"a":1}' });
    expect(answer).toMatchObject({ status: 200, text: "data: first\n\ndata: last\n\n" });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v1/messages?beta=true", body: '{"a":1}' });
    expect(seen[0]?.headers).toMatchObject({ "x-api-key": KEY, "x-mine": "yes", host: address.host });
  });

  it("does not let the key out again: what the API says of it is the stand-in's", async () => {
    const { port } = await openApi();
    expect((await get(port, "/v1/messages")).headers["x-echo"]).toBe(STAND_IN);
  });

  it.each<[how: string, path: string, headers: Record<string, string>, what: RegExp]>([
    [
      "a bearer",
      "/v1/messages",
      { "x-api-key": "", authorization: `Bearer ${STAND_IN}` },
      /"authorization":"Bearer sk-real/,
    ],
    ["Google's header", "/v1/messages", { "x-api-key": "", "x-goog-api-key": STAND_IN }, /"x-goog-api-key":"sk-real/],
    ["a parameter", `/v1/messages?key=${STAND_IN}`, { "x-api-key": "" }, /messages\?key=sk-real/],
  ])("takes the stand-in as %s", async (_how, path, headers, what) => {
    const { seen, port } = await openApi();
    expect((await get(port, path, { headers })).status).toBe(200);
    expect(JSON.stringify(seen)).toMatch(what);
    expect(JSON.stringify(seen)).not.toContain(STAND_IN);
  });

  it.each([{ "x-api-key": "" }, { "x-api-key": "guessed" }, { "x-api-key": `${STAND_IN}x` }])(
    "knows nobody by %j, and asks nothing for them",
    async (headers) => {
      const { seen, port } = await openApi();
      expect(await get(port, "/v1/messages", { headers })).toMatchObject({ status: 401 });
      expect(seen).toEqual([]);
    },
  );

  it.each([
    "/v1/files",
    "/",
    "/v1/messages-of-others",
    "/v1/messages/batches",
    "/v1/messages/",
    "/v1/messages:all",
    "/v1/messages/../files",
    "/v1/messages/%2e%2e/files",
    "/v1/messages/..%2ffiles",
    "/v1//messages",
    "//evil.example/v1/messages",
    "http://evil.example/v1/messages",
  ])("does not ask for %s with the key", async (path) => {
    const { seen, port } = await openApi();
    expect(await get(port, path)).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
  });

  it("asks its one host, whatever else is named", async () => {
    const { seen, port, address } = await openApi();
    await get(port, "/v1/messages", { headers: { host: "evil.example" } });
    expect(seen[0]?.headers.host).toBe(address.host);
  });

  it.each(["DELETE", "PUT", "PATCH"])("does not %s", async (method) => {
    const { seen, port } = await openApi();
    expect(await get(port, "/v1/messages", { method })).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
  });

  it("knows the paths behind an address that has one itself, and Google's way to call a method", async () => {
    const { seen, port } = await openApi("/api/v1", ["/responses", "/models/*:generateContent"]);
    expect((await get(port, "/api/v1/responses")).status).toBe(200);
    expect((await get(port, "/api/v1/models/gemini:generateContent")).status).toBe(200);
    expect((await get(port, "/api/v1/models/gemini:batchGenerateContent")).status).toBe(403);
    expect((await get(port, "/api/v1/models/x/y:generateContent")).status).toBe(403);
    expect((await get(port, "/api/v1/models/..%2fx:generateContent")).status).toBe(403);
    expect((await get(port, "/responses")).status).toBe(403);
    expect(seen).toHaveLength(2);
  });

  it("says no to a socket, as programs expect that try one first", async () => {
    const { port } = await openApi();
    const headers = { connection: "upgrade", upgrade: "websocket" };
    expect(await get(port, "/v1/messages", { method: "GET", headers })).toMatchObject({ status: 426 });
  });

  it("says that the API is not there, without its address or its key", async () => {
    const address = new URL("http://127.0.0.1:1");
    const gateway = await openGateway({ address, paths: ["/v1"], standIn: STAND_IN, key: KEY });
    onTestFinished(() => gateway[Symbol.asyncDispose]());
    const { status, text } = await get(gateway.port, "/v1");
    expect([status, text]).toEqual([502, expect.stringContaining("could not be reached (ECONNREFUSED)")]);
    expect(text).not.toContain(KEY);
  });

  it("is gone when it is closed", async () => {
    const { port, close } = await openApi();
    await close();
    await expect(get(port, "/v1/messages")).rejects.toThrow("ECONNREFUSED");
  });
});
