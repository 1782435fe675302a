import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners, once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcp } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { httpFetch } from "../../src/platform/http-fetch.ts";

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Answer = (...given: Parameters<RequestListener>) => Promise<void> | void;

async function serving(answer: Answer): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => void answer(request, response));
  opened.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: addressOf(server) };
}

const addressOf = (server: { address(): AddressInfo | string | null }): string => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return `http://127.0.0.1:${address.port}/`;
};

const post = (url: string, body: string, signal?: AbortSignal) =>
  httpFetch(url, { method: "POST", headers: { "X-Own": "one" }, body, ...(signal === undefined ? {} : { signal }) });

describe("fetch for calls of models", () => {
  test("sends what it is given, and says what came", async () => {
    let seen: IncomingMessage | undefined;
    const { url } = await serving(async (request, response) => {
      seen = request;
      response.writeHead(
        418,
        "Short",
        [
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
          ["x-back", "yes"],
        ].flat(),
      );
      response.end(`got ${await text(request)}`);
    });
    const response = await post(url, "grüße");
    expect(await response.text()).toBe("got grüße");
    expect([response.status, response.statusText, response.ok]).toEqual([418, "Short", false]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("x-back")).toBe("yes");
    expect(seen?.headers).toMatchObject({ "x-own": "one", "content-length": "7" });
    expect(seen?.method).toBe("POST");
  });

  test("pieces that were sent in one go come in one; what comes later does not wait for more", async () => {
    const isRead = Promise.withResolvers<void>();
    const { url } = await serving(async (_request, response) => {
      response.writeHead(200);
      await sleep(20);
      response.cork();
      for (const piece of ["a", "b", "c"]) response.write(piece);
      response.uncork();
      await isRead.promise;
      response.end("d");
    });
    const pieces: string[] = [];
    for await (const piece of (await post(url, "")).body ?? []) {
      pieces.push(Buffer.from(piece).toString("utf8"));
      isRead.resolve();
    }
    expect(pieces).toEqual(["abc", "d"]);
  });

  test("an answer that nobody reads does not pile up", async () => {
    const piece = Buffer.alloc(64 * 1024, "x");
    let sent = 0;
    const { url } = await serving(async (_request, response) => {
      const closed = once(response, "close");
      for (; sent < 64 * 1024 * 1024 && !response.destroyed; sent += piece.length)
        if (!response.write(piece)) await Promise.race([once(response, "drain"), closed]);
      response.end();
    });
    const response = await post(url, "");
    await sleep(300);
    expect(sent).toBeLessThan(16 * 1024 * 1024); // what the sockets of both sides hold, and a little of ours
    await response.body?.cancel();
  });

  test("an answer that is cut off is no whole one", async () => {
    const { url } = await serving((_request, response) => {
      response.write("half");
      setTimeout(() => response.destroy(), 30);
    });
    const response = await post(url, "");
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("stops when it is told to: before the answer, and in the middle of it", async () => {
    const { url } = await serving((request, response) => {
      if (request.headers["content-length"] === "1") response.write("begun");
    });
    for (const body of ["", "1"]) {
      const over = new AbortController();
      const asked = post(url, body, over.signal).then((response) => response.text());
      setTimeout(() => over.abort(), 50);
      await expect(asked).rejects.toThrow(/aborted|terminated/);
    }
    await expect(post(url, "", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });

  test("what is told to stop after it is over, or before it began, does nothing", async () => {
    let connections = 0;
    const { server, url } = await serving(async (request, response) => void response.end(await text(request)));
    server.on("connection", () => connections++);
    for (let call = 0; call < 3; call++) {
      const over = new AbortController();
      const response = await post(url, "hello", over.signal);
      expect(getEventListeners(over.signal, "abort")).toHaveLength(1);
      expect(await response.text()).toBe("hello");
      await sleep(5);
      expect(getEventListeners(over.signal, "abort")).toHaveLength(0);
      over.abort();
    }
    await expect(post(url, "hello", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
    expect(connections).toBe(1);
  });

  test("what is told to stop as the last of it is about to be taken is read, and nobody is told of an error", async () => {
    const { url } = await serving((_request, response) => void response.end(Buffer.alloc(300_000)));
    const over = new AbortController();
    let incoming: IncomingMessage | undefined;
    const look = (message: unknown) => void ({ response: incoming } = message as { response: IncomingMessage });
    subscribe("http.client.response.finish", look);
    const reader = (await post(url, "", over.signal)).body?.getReader();
    unsubscribe("http.client.response.finish", look);
    await expect.poll(() => incoming?.complete).toBe(true); // all of it is here: more than is taken without being asked for
    const first = (await reader?.read())?.value?.length ?? 0;
    over.abort();
    expect(first).toBeLessThan(300_000);
    expect((await reader?.read())?.value?.length).toBe(300_000 - first);
    await sleep(5); // what nobody listens for has been said by now, and would have ended the process
  });

  test("what comes is counted as it is when it is decoded", async () => {
    const { url } = await serving((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(100_000)));
    });
    let bytes = 0;
    const response = await httpFetch(url, {}, (count) => (bytes += count));
    expect((await response.bytes()).length).toBe(100_000);
    expect(bytes).toBe(100_000);
  });

  test("the address is sent as it is: path, query, and a host in IPv6", async () => {
    const { url } = await serving((request, response) => void response.end(`${request.headers.host} ${request.url}`));
    const { host } = new URL(url);
    expect(await (await httpFetch(`${url}v1/a%20b?alt=sse&x=1#part`)).text()).toBe(`${host} /v1/a%20b?alt=sse&x=1`);
    // Nobody listens there, or there is no IPv6: either way it was understood.
    const refused = await httpFetch("http://[::1]:1/").catch((error: unknown) => error);
    expect(refused).toMatchObject({ cause: { code: expect.stringMatching(/^(?:ECONNREFUSED|EADDRNOTAVAIL)$/) } });
  });

  test("each call goes to its own address, also when they take turns", async () => {
    const { url } = await serving((request, response) => void response.end(request.url));
    const { url: other } = await serving((request, response) => void response.end(`other ${request.url}`));
    for (const [address, answer] of [
      [`${url}a`, "/a"],
      [`${url}a`, "/a"],
      [`${url}b`, "/b"],
      [`${other}a`, "other /a"],
      [`${url}a`, "/a"],
    ] as const) {
      const response = await httpFetch(address);
      expect([response.url, await response.text()]).toEqual([address, answer]);
    }
    await expect(httpFetch("nowhere")).rejects.toThrow(TypeError);
    expect(await (await httpFetch(new URL(`${url}c`))).text()).toBe("/c");
    expect(await (await httpFetch(new Request(`${url}d`))).text()).toBe("/d");
  });

  test("headers come in every form that they have", async () => {
    const { url } = await serving((request, response) => void response.end(request.headers["x-own"]));
    const forms: RequestInit["headers"][] = [{ "X-Own": "one" }, new Headers({ "X-Own": "one" }), [["X-Own", "one"]]];
    for (const headers of forms)
      expect(await (await httpFetch(url, headers === undefined ? {} : { headers })).text()).toBe("one");
  });

  test("what was sent on a connection that is cut then is not sent again by itself", async () => {
    let requests = 0;
    // By hand: it answers once on each connection, and hangs up on whoever comes back.
    const server = createTcp((socket) => {
      let answered = false;
      socket.on("error", () => undefined);
      socket.on("data", () => {
        requests++;
        if (answered) return socket.resetAndDestroy();
        answered = true;
        return socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nkeep-alive: timeout=60\r\n\r\nok");
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = addressOf(server);
    expect(await (await post(url, "hello")).text()).toBe("ok");
    await sleep(20);
    await expect(post(url, "hello")).rejects.toMatchObject({ message: "fetch failed", cause: { code: "ECONNRESET" } });
    expect(requests).toBe(2);
    server.close();
  });

  test("who does not answer at all is told like by Node's own", async () => {
    const { server, url } = await serving(() => undefined);
    server.close();
    server.closeAllConnections();
    await expect(post(url, "")).rejects.toMatchObject({ message: "fetch failed", cause: { code: "ECONNREFUSED" } });
  });

  test.each([204, 205])("no content (%i) is none", async (status) => {
    const { url } = await serving((_request, response) => void response.writeHead(status).end());
    const response = await post(url, "");
    expect(response.body).toBeNull();
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("an answer in %s, which nobody asked for, is read", async (coding, compress) => {
    let asked: string | undefined;
    const { url } = await serving((request, response) => {
      asked = request.headers["accept-encoding"];
      response.writeHead(200, { "content-encoding": coding }).end(compress(Buffer.from("grüße")));
    });
    expect(await (await post(url, "")).text()).toBe("grüße");
    expect(asked).toBe("identity");
  });

  test("one in gzip that is broken is no answer, and one that nobody can read is refused", async () => {
    const { url } = await serving((request, response) => {
      const coding = request.url === "/other" ? "zstd" : "gzip";
      response.writeHead(200, { "content-encoding": coding }).end("no such thing");
    });
    const response = await post(url, "");
    await expect(response.text()).rejects.toThrow("terminated");
    await expect(post(`${url}other`, "")).rejects.toMatchObject({ message: "fetch failed" });
  });

  test("a status that is none of HTTP is refused", async () => {
    const { url } = await serving((_request, response) => void response.writeHead(700).end("x"));
    await expect(post(url, "")).rejects.toMatchObject({ message: "fetch failed" });
  });
});
