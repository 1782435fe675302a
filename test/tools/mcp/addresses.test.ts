import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { McpServer as Wish } from "../../../src/schema/index.ts";
import { openServers, said } from "./kit.ts";

async function listening(answer: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Served {
  readonly url: string;
  readonly seen: IncomingMessage[];
}

/** The library's own server. `isOld`: it knows nothing of the newer era. */
async function served(isOld = false): Promise<Served> {
  const seen: IncomingMessage[] = [];
  const make = () => {
    const server = new McpServer({ name: "web", version: "1" });
    server.registerTool("hello", { description: "Greets." }, async () => ({
      content: [{ type: "text", text: "hello" }],
    }));
    return server;
  };
  const handler = createMcpHandler(make);
  const url = await listening(async (request, response) => {
    seen.push(request);
    const body = await bodyOf(request);
    if (isOld && body.includes("server/discover")) return end(response, 400, "no such thing");
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const init = { method: request.method ?? "GET", headers, ...(body === "" ? {} : { body }) };
    const answer = await handler.fetch(new Request(`http://127.0.0.1${request.url}`, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return { url: `${url}/mcp`, seen };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const end = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { "content-type": "text/plain" });
  response.end(text);
};

describe("a server by its address", () => {
  it.each([false, true])("is used in its era (older: %s), with its headers and their secrets", async (isOld) => {
    const { url, seen } = await served(isOld);
    const web = { url, headers: { Authorization: "Bearer {{secret:WEB_TOKEN}}" } };
    const policy = { env: { allow: ["WEB_TOKEN"] } };
    const { run, notes, tools } = await openServers({ web }, { secrets: { WEB_TOKEN: "t0ken" }, policy });
    expect(notes).toEqual([]);
    expect(said(await run("mcp__web__hello"))).toBe("hello");
    expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set(["Bearer t0ken"]));
    expect(tools[0]?.plan({})).toEqual({ ok: true, use: { effect: "net", host: "127.0.0.1", isReadOnly: false } });
  });

  it("is not asked where there is no network for the agent", async () => {
    const { url, seen } = await served();
    const { notes } = await openServers({ web: { url } }, { policy: { network: false } });
    expect(notes.join()).toContain("lets none of them be called");
    expect(seen).toEqual([]);
  });

  it.each([
    ["http://example.com/mcp", "must be https, or http to this machine"],
    ["https://me:secret@example.com/mcp", "without a password"],
    ["file:///etc/passwd", "Invalid"],
    ["javascript:alert(1)", "Invalid"],
    ["http://127.0.0.1.example.com/", "must be https"],
    ["http://169.254.169.254/latest", "must be https"],
  ])("%s is no address for one", (url, why) => {
    expect(JSON.stringify(Wish.safeParse({ url }).error?.issues)).toContain(why);
  });

  it.each(["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1"])(
    "whose name leads to %s is refused",
    async (address) => {
      const resolve = async () => [{ address, family: address.includes(":") ? 6 : 4 }];
      const { notes } = await openServers({ web: { url: "https://mcp.example.com/" } }, { resolve });
      expect(notes.join()).toContain("not a public address");
    },
  );

  it("that leads elsewhere is not followed", async () => {
    let visits = 0;
    const other = await listening((_, response) => {
      visits++;
      end(response, 200, "{}");
    });
    const url = await listening((_, response) => {
      response.writeHead(307, { location: `${other}/mcp` });
      response.end();
    });
    const { notes, names } = await openServers({ web: { url } });
    expect([names, visits]).toEqual([[], 0]);
    expect(notes).toHaveLength(1);
  });

  it("that answers without end is not read to it", async () => {
    const url = await listening((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = "x".repeat(1024 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk)) continue;
        response.once("drain", more);
      };
      more();
    });
    const { notes } = await openServers({ web: { url } });
    expect(notes.join()).toContain("it sent an answer of more than 16777216 bytes");
  });

  it("that does not answer is given up, and one that wants a login says so", async () => {
    const silent = await listening(() => undefined);
    const { notes } = await openServers({ web: { url: silent } }, { startMs: 300 });
    expect(notes.join()).toContain("there was no whole answer within 0.3 seconds");
    const locked = await listening((_, response) => {
      response.writeHead(401, { "www-authenticate": 'Bearer resource_metadata="http://169.254.169.254/x"' });
      response.end();
    });
    const refused = await openServers({ web: { url: locked } });
    expect(refused.notes).toHaveLength(1);
    expect(refused.names).toEqual([]);
  });
});
