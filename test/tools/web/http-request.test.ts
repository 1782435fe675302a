import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { framed, openWeb, page, serve } from "./kit.ts";

const LONG = Buffer.alloc(3 * 1024 * 1024, "x");

describe("HttpRequest", () => {
  test("sends what it is told, and returns status, headers and body", async () => {
    let body = "";
    const { origin, asked } = await serve((request, response) => {
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => response.writeHead(201, { "content-type": "application/json", "x-a": "b" }).end("{}"));
    });
    const input = {
      method: "POST",
      url: `${origin}/things`,
      headers: { "X-Token": "t", "User-Agent": "mine" },
      body: "é",
    };
    const result = await (await openWeb()).run("HttpRequest", input);
    expect(result.ok).toBe(true);
    expect(result.text).toContain(`POST ${origin}/things answered 201.`);
    expect(framed(result)).toMatch(/^[^]*x-a: b\n[^]*\n\n\{\}$/);
    expect(body).toBe("é");
    expect(asked[0]?.headers).toMatchObject({ "x-token": "t", "user-agent": "mine" });
  });

  test("follows no redirect, and an error is an error", async () => {
    const { origin, asked } = await serve((_, response) => void response.writeHead(302, { location: "/b" }).end());
    const web = await openWeb();
    expect(framed(await web.run("HttpRequest", { url: origin }))).toContain("location: /b");
    expect(asked).toHaveLength(1);
    const broken = await page("no", "text/plain", 500);
    expect(await web.run("HttpRequest", { url: broken.origin })).toMatchObject({ ok: false });
  });

  test("says how much of a long answer was read, where the rest of it cannot be", async () => {
    const { origin } = await page("x".repeat(1024 * 1024 + 1), "text/plain", 200);
    const result = await (await openWeb()).run("HttpRequest", { url: origin });
    expect(result.leftOut).toBe("only the first 1048576 bytes of the answer were read");
  });

  test.each([
    ["HEAD", 200],
    ["DELETE", 204],
    ["GET", 304],
    ["POST", 200],
    ["PUT", 202], // its end is only known when it is there
  ])("an answer to %s without a body is one, whatever it says of its packing (%i)", async (method, status) => {
    const { origin } = await serve((_, response) => {
      const empty = method === "POST" ? { "content-length": "0" } : {};
      response.writeHead(status, { "content-type": "text/html", "content-encoding": "gzip", ...empty });
      if (method === "PUT") response.flushHeaders();
      response.end();
    });
    const result = await (await openWeb()).run("HttpRequest", { url: origin, method });
    expect(result.ok).toBe(true);
    expect(framed(result)).toMatch(/content-encoding: gzip[^]*\n\n\(no body\)$/);
  });

  test.each([
    ["gzip", gzipSync(LONG)],
    ["identity", LONG],
  ])("of a long answer in %s no more comes than was read: its connection is closed", async (packing, body) => {
    const closed = Promise.withResolvers<void>();
    const { origin } = await serve((request, response) => {
      request.socket.on("close", () => closed.resolve());
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": packing });
      response.write(body.subarray(0, -100)); // the rest is never sent
    });
    expect(await (await openWeb()).run("HttpRequest", { url: origin })).toMatchObject({
      ok: true,
      leftOut: expect.stringContaining("only the first"),
    });
    await closed.promise;
  });

  test("a request that was to change something may have done so, where its answer is lost", async () => {
    const { origin } = await serve((request) => void request.socket.destroy());
    const web = await openWeb();
    const doubt = "may have had its effect all the same: look before you repeat it";
    expect((await web.run("HttpRequest", { url: origin, method: "POST" })).text).toContain(doubt);
    expect((await web.run("HttpRequest", { url: origin })).text).not.toContain(doubt);
    const nobody = { url: "http://127.0.0.1:1", method: "POST" };
    expect((await web.run("HttpRequest", nobody)).text).toMatch(/nothing listens there\. Check the address/);
    expect((await web.run("HttpRequest", nobody)).text).not.toContain(doubt);
  });

  test("shows no bytes that are not text, and no more headers than fit", async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "image/png", "x-long": "y".repeat(8000) }).end("\0\0");
    });
    const text = framed(await (await openWeb()).run("HttpRequest", { url: origin }));
    expect(text).toMatch(/\(and more\)\n\n\(2 bytes that are not text\)$/);
    expect(text.length).toBeLessThan(4200);
  });

  test.each([
    [{ url: "https://x.example", headers: { host: "evil" } }, "cannot be set here"],
    [{ url: "https://x.example", headers: { "Proxy-Authorization": "x" } }, "cannot be set here"],
    [{ url: "https://x.example", headers: { "a b": "x" } }, "not a name of a header"],
    [{ url: "https://x.example", headers: { a: "x\r\nb: c" } }, "one line"],
    [{ url: "https://x.example", body: "x" }, "a GET request has no body"],
    [{ url: "https://x.example", method: "CONNECT" }, "method"],
    [{ url: "ftp://x.example" }, "only http and https"],
  ])("%j is not planned", async (input, says) => {
    expect((await openWeb()).tool("HttpRequest").plan(input)).toMatchObject({
      ok: false,
      problem: expect.stringContaining(says),
    });
  });
});
