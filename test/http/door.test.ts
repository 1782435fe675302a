// Who comes in, over real connections. A browser, a stranger on this machine, and somebody who sends too much.
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { doorman } from "../../src/http/doorman.ts";
import { health } from "../../src/http/health.ts";
import { serveHttp } from "../../src/http/serve-http.ts";

const TOKEN = "the-token-of-this-test-0123456789-abcdef";

async function served() {
  const seen: string[] = [];
  const logged: string[] = [];
  const listening = await serveHttp({
    host: "127.0.0.1",
    port: 0,
    log: (line) => void logged.push(line),
    doorman: doorman({ hosts: ["127.0.0.1", "localhost", "::1", "cadre.test"], token: TOKEN, open: ["/health"] }),
    routes: {
      "/health": health,
      "/echo": async (one) => {
        seen.push(one.method);
        return new Response(await one.text());
      },
      "/broken": async () => Promise.reject(new Error("this is a bug")),
    },
  });
  onTestFinished(() => listening.close());
  return { port: listening.port, seen, logged, close: listening.close };
}

interface Got {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

function ask(
  port: number,
  headers: Record<string, string>,
  { method = "POST", path = "/echo", body = "hello" } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more: string) => (text += more));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on("error", reject).end(method === "POST" ? body : undefined);
  });
}

const good = { Authorization: `Bearer ${TOKEN}` };

describe("the door", () => {
  test("opens with the token, by any name of this machine", async () => {
    const { port } = await served();
    for (const host of [`127.0.0.1:${port}`, "localhost", "[::1]:80", "LOCALHOST:1", "cadre.test"])
      expect(await ask(port, { ...good, Host: host })).toMatchObject({ status: 200, body: "hello" });
    for (const origin of [`http://127.0.0.1:${port}`, "http://localhost:3000", "https://cadre.test"])
      expect(await ask(port, { ...good, Origin: origin })).toMatchObject({ status: 200 });
  });

  test.each([
    "evil.test",
    "127.0.0.1.evil.test",
    "localhost.evil.test",
    "127.0.0.1@evil.test",
    "evil.test:80",
    "0.0.0.0",
  ])("is shut for the host %o, with the token too", async (host) => {
    const { port, seen } = await served();
    expect(await ask(port, { ...good, Host: host })).toMatchObject({
      status: expect.toSatisfy((s: number) => s === 403 || s === 400),
    });
    expect(seen).toEqual([]);
  });

  test.each([
    "http://evil.test",
    "null",
    "file://",
    "https://localhost.evil.test",
    "chrome-extension://abc",
    "http://localhost@evil.test",
  ])("is shut for the origin %o, with the token too", async (origin) => {
    const { port, seen } = await served();
    expect(await ask(port, { ...good, Origin: origin })).toMatchObject({ status: 403 });
    expect(seen).toEqual([]);
  });

  test.each([
    [{}, 'Bearer realm="cadre"'],
    [{ Authorization: "" }, 'Bearer realm="cadre"'],
    [{ Authorization: "Basic dXNlcjpwdw==" }, 'Bearer realm="cadre"'],
    [{ Authorization: `Bearer ${TOKEN}x` }, "invalid_token"],
    [{ Authorization: `Bearer ${TOKEN.slice(0, -1)}` }, "invalid_token"],
    [{ Authorization: `Bearer ${TOKEN.toUpperCase()}` }, "invalid_token"],
  ])("asks for the token where it is %o", async (headers, challenge) => {
    const { port, seen } = await served();
    const got = await ask(port, headers);
    expect(got.status).toBe(401);
    expect(got.headers["www-authenticate"]).toContain(challenge);
    expect([seen, got.body.includes(TOKEN)]).toEqual([[], false]);
  });

  test("lets nobody read from another origin: there are no headers for it", async () => {
    const { port } = await served();
    const preflight = { Origin: `http://127.0.0.1:${port}`, "Access-Control-Request-Method": "POST" };
    const got = await ask(port, preflight, { method: "OPTIONS" });
    expect(got.status).toBe(401);
    const allowed = await ask(port, { ...good, ...preflight });
    for (const { headers } of [got, allowed])
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(allowed.headers).toMatchObject({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
  });

  test("says that it lives without a token, and nothing else", async () => {
    const { port } = await served();
    expect(await ask(port, {}, { method: "GET", path: "/health" })).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    });
    expect(await ask(port, {}, { path: "/health" })).toMatchObject({ status: 405 });
    expect(await ask(port, { Host: "evil.test" }, { method: "GET", path: "/health" })).toMatchObject({ status: 403 });
    expect(await ask(port, {}, { method: "GET", path: "/health/../echo" })).toMatchObject({ status: 401 });
    expect(await ask(port, {}, { method: "GET", path: "//evil.test/health" })).toMatchObject({ status: 401 });
    expect(await ask(port, good, { path: "/nothing" })).toMatchObject({ status: 404 });
  });
});

describe("the server", () => {
  test("outlives what breaks in it, and tells nobody outside", async () => {
    const { port, logged } = await served();
    const got = await ask(port, good, { path: "/broken" });
    expect([got.status, got.body]).toEqual([500, ""]);
    expect(logged).toEqual(["http: this is a bug"]);
    expect(await ask(port, good)).toMatchObject({ status: 200 });
  });

  test("ends at once, with half a request there", async () => {
    const { port, close } = await served();
    const socket = connect(port, "127.0.0.1");
    const over = new Promise<void>((resolve) => void socket.on("close", () => resolve()).on("error", () => undefined));
    await new Promise<void>((resolve) => void socket.once("connect", resolve));
    socket.write(
      `POST /echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 10\r\n\r\nhalf`,
    );
    await expect.poll(async () => (await ask(port, good)).status).toBe(200);
    await close();
    await over;
    await expect(ask(port, good)).rejects.toThrow("ECONNREFUSED");
  });

  test("says where it cannot listen", async () => {
    const { port } = await served();
    const again = serveHttp({ host: "127.0.0.1", port, log: () => undefined, doorman: () => undefined, routes: {} });
    await expect(again).rejects.toMatchObject({ code: "input.invalid", hint: expect.stringContaining("--port") });
  });
});
