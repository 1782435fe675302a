import type { LookupAddress } from "node:dns";
import { describe, expect, test } from "vitest";
import { isPublic } from "../../../src/platform/public-address.ts";
import { brandId } from "../../../src/schema/index.ts";
import { openWeb, page, serve } from "./kit.ts";

const REFUSED = { ok: false, text: expect.stringContaining("cannot be reached") };

const v4 = (address: string): LookupAddress => ({ address, family: 4 });

describe("an address of this machine or a private network is refused", () => {
  test.each([
    "127.0.0.1",
    "localhost",
    "0.0.0.0",
    "0x7f.1",
    "2130706433",
    "0177.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:a9fe:a9fe]",
    "[fe80::1]",
    "[fc00::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
  ])("%s", async (host) => {
    const { port, asked } = await page("secret");
    const web = await openWeb({ privateHosts: [] });
    expect(await web.run("WebFetch", { url: `https://${host}:${port}/` })).toMatchObject(REFUSED);
    expect(await web.run("HttpRequest", { url: `https://${host}:${port}/` })).toMatchObject(REFUSED);
    expect(asked).toEqual([]);
  });

  test("and public ones are not", () => {
    expect(["1.1.1.1", "93.184.216.34", "2606:4700::1111"].map(isPublic)).toEqual([true, true, true]);
    expect(["198.18.0.1", "192.0.2.1", "not an address", ""].map(isPublic)).toEqual([false, false, false, false]);
  });
});

describe("a name", () => {
  test("that leads to a private address is refused, also as one of several", async () => {
    const { port, asked } = await page("secret");
    for (const addresses of [[v4("127.0.0.1")], [v4("93.184.216.34"), v4("127.0.0.1")]]) {
      const web = await openWeb({ privateHosts: ["127.0.0.1"], resolve: async () => addresses });
      const result = await web.run("WebFetch", { url: `https://rebind.test:${port}/` });
      expect(result).toMatchObject({ ok: false, text: expect.stringContaining("rebind.test leads to 127.0.0.1") });
    }
    expect(asked).toEqual([]);
  });

  test("is looked up once for a connection: what was looked at is what is connected to", async () => {
    const { port, asked } = await page("first", "text/plain");
    let times = 0;
    const resolve = async () => (times++ === 0 ? [v4("127.0.0.1")] : [v4("127.0.0.2")]);
    const web = await openWeb({ privateHosts: ["rebind.test"], resolve });
    expect(await web.run("WebFetch", { url: `http://rebind.test:${port}/` })).toMatchObject({ ok: true });
    expect([times, asked.length]).toEqual([1, 1]);
  });

  test("that the user has named may lie anywhere", async () => {
    const { port } = await page("inside", "text/plain");
    const web = await openWeb({ privateHosts: ["*.corp.test"], resolve: async () => [v4("127.0.0.1")] });
    expect(await web.run("WebFetch", { url: `http://wiki.corp.test:${port}/` })).toMatchObject({ ok: true });
    expect(await web.run("WebFetch", { url: `https://corp.test:${port}/` })).toMatchObject(REFUSED);
  });
});

describe("a redirect", () => {
  test("within the host is followed", async () => {
    const { origin } = await serve((request, response) => {
      if (request.url === "/end") response.writeHead(200, { "content-type": "text/plain" }).end("there");
      else response.writeHead(302, { location: request.url === "/" ? "/next" : "end" }).end();
    });
    const result = await (await openWeb()).run("WebFetch", { url: origin });
    expect(result).toMatchObject({ ok: true, text: expect.stringContaining(`${origin}/end answered 200`) });
  });

  test("to another host is told, and nobody goes there", async () => {
    const other = await page("secret");
    const { port } = await serve((_, response) => {
      response.writeHead(301, { location: `http://other.test:${other.port}/x` }).end();
    });
    const web = await openWeb({ privateHosts: ["*.test"], resolve: async () => [v4("127.0.0.1")] });
    expect(await web.run("WebFetch", { url: `http://first.test:${port}/` })).toEqual({
      ok: true,
      text: `http://first.test:${port}/ redirects to another place. Call WebFetch again with that URL: http://other.test:${other.port}/x`,
    });
    expect(other.asked).toEqual([]);
  });

  test.each([
    ["file:///etc/passwd", "only http and https"],
    ["http://a:b@127.0.0.1/", "user name or a password"],
    ["http://", "is not a URL"],
  ])("to %s is refused", async (location, says) => {
    const { origin } = await serve((_, response) => void response.writeHead(302, { location }).end());
    const result = await (await openWeb()).run("WebFetch", { url: origin });
    expect(result).toMatchObject({ ok: false, text: expect.stringContaining(says) });
  });

  test("without an end is left after five", async () => {
    const { origin, asked } = await serve((_, response) => void response.writeHead(307, { location: "/" }).end());
    const result = await (await openWeb()).run("WebFetch", { url: origin });
    expect(result).toEqual({ ok: false, text: `${origin}/ redirects more than 5 times` });
    expect(asked).toHaveLength(6);
  });
});

describe("a request", () => {
  test("without encryption is made to hosts that the user has named, and to nobody else", async () => {
    const { port, asked } = await page("plain", "text/plain");
    const web = await openWeb({ privateHosts: ["mine.test"], resolve: async () => [v4("127.0.0.1")] });
    for (const name of ["WebFetch", "HttpRequest"]) {
      const plan = web.tool(name).plan({ url: `http://other.test:${port}/` });
      expect(plan).toEqual({ ok: false, problem: expect.stringContaining("use https") });
      expect(await web.run(name, { url: `http://mine.test:${port}/` })).toMatchObject({ ok: true });
    }
    expect(asked).toHaveLength(2);
  });

  const SECRET = "hunter-2-hunter-3";
  const redact = <T>(value: T): T =>
    typeof value === "string" ? (value.replaceAll(SECRET, "X") as typeof value) : value;

  test.each([
    ["WebFetch", { url: `https://docs.test/?q=${SECRET}` }],
    ["WebFetch", { url: `https://docs.test/${Buffer.from(SECRET).toString("base64url")}` }],
    ["HttpRequest", { url: "https://docs.test/", method: "POST", body: `{"a":"${encodeURIComponent(SECRET)}"}` }],
    ["HttpRequest", { url: "https://docs.test/", headers: { "x-note": SECRET } }],
    ["HttpRequest", { url: "https://docs.test/", headers: { [SECRET]: "1" } }],
    ["WebSearch", { query: `what is ${SECRET}` }],
    ["WebSearch", { query: "what", allowed_domains: [`${SECRET}.test`] }],
  ])("of %s with a secret in it is not made: %j", async (name, input) => {
    const web = await openWeb({ resolve: async () => Promise.reject(new Error("nobody is to be looked up")) }, redact);
    expect(web.tool(name).plan(input)).toEqual({ ok: false, problem: expect.stringContaining("send a secret out") });
    expect(await web.tool(name).run(input, brandId("call", "1"))).toMatchObject({ ok: false });
  });
});
