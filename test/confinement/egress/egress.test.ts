import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { machines, openAttempt, serve } from "./kit.ts";

const PRIVATE = { privateHosts: ["ok.test"] };

describe.each(machines)("the network of an attempt (as $user)", () => {
  it("reaches a host of its list, by a request and by a tunnel", async () => {
    const { port } = await serve((request, response) => response.end(`hello from ${request.url}`));
    const { run, refusals } = await openAttempt({ network: [`ok.test:${port}`], ...PRIVATE });
    expect((await run(`return get("http://ok.test:${port}/a?b=c")`)).out).toBe("200 hello from /a?b=c");
    const tunnel = await run(
      `return raw(proxy, "CONNECT ok.test:${port} HTTP/1.1\\r\\n\\r\\nGET /t HTTP/1.0\\r\\n\\r\\n")`,
    );
    expect(tunnel.out).toMatch(/^HTTP\/1\.1 200 Connection established[^]*hello from \/t$/);
    expect(refusals).toEqual([]);
  });

  it("hands a request on whole, without what was about the connection to the proxy", async () => {
    const seen: unknown[] = [];
    const { port } = await serve((request, response) => {
      void (async () => {
        let body = "";
        for await (const part of request) body += String(part);
        seen.push([request.method, request.headers, body]);
        response.writeHead(201, { "x-mine": "yes", connection: "close, x-hop", "x-hop": "no" }).end("made");
      })();
    });
    const { run } = await openAttempt({ network: [`ok.test:${port}`], ...PRIVATE });
    const head = `PUT http://ok.test:${port}/x HTTP/1.1\\r\\nHost: elsewhere.test\\r\\nX-Kept: 1\\r\\nX-Named: 2\\r\\nConnection: x-named, close\\r\\nProxy-Authorization: secret\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n4\\r\\nbody\\r\\n0\\r\\n\\r\\n`;
    const { out } = await run(`return raw(proxy, "${head}")`);
    expect(out).toMatch(/^HTTP\/1\.1 201 Created[^]*x-mine: yes[^]*made/);
    expect(out).not.toContain("x-hop");
    expect(seen).toEqual([
      ["PUT", { "x-kept": "1", host: `ok.test:${port}`, "transfer-encoding": "chunked", connection: "close" }, "body"],
    ]);
  });

  it("refuses any other host and port, says why, and reports each once", async () => {
    const { run, refusals } = await openAttempt({ network: ["ok.test"], ...PRIVATE });
    const { out } = await run(`
      console.log(await get("http://evil.test/")); console.log(await get("http://evil.test/again"));
      console.log(await connect("evil.test:443")); console.log(await connect("ok.test:22"));`);
    expect(out).toContain("403 Cadre refuses the connection to evil.test, port 80: it is not among the hosts");
    expect(out).toContain("HTTP/1.1 403 Refused by Cadre");
    expect(refusals.map(({ host, port }) => `${host}:${port}`)).toEqual([
      "evil.test:80",
      "evil.test:443",
      "ok.test:22",
    ]);
    expect(refusals[2]?.why).toContain("its port 22 is not open to this agent");
  });

  it("leads nowhere without the proxy: no host, no port of this machine, no name", async () => {
    const { port } = await serve((_, response) => response.end("reached"));
    const { run } = await openAttempt({ network: true });
    const { out } = await run(`
      console.log(await raw(${port}, "GET / HTTP/1.0\\r\\n\\r\\n"));
      console.log(await raw(80, "GET / HTTP/1.0\\r\\n\\r\\n", "192.0.2.1"));
      console.log(await require("node:dns").promises.lookup("example.com").catch((e) => e.code));
      console.log(Object.keys(require("node:os").networkInterfaces()).join());`);
    expect(out.split("\n")).toEqual([
      "ECONNREFUSED",
      "ENETUNREACH",
      expect.stringMatching(/^(EAI_AGAIN|ENOTFOUND)$/),
      "lo",
    ]);
  });

  it("sends no question for a name out, whoever is asked", async () => {
    const resolver = createSocket("udp4");
    let packets = 0;
    resolver.on("message", () => packets++).bind(0, "127.0.0.1");
    await once(resolver, "listening");
    onTestFinished(() => void resolver.close());
    const { run } = await openAttempt({ network: true });
    const { out } = await run(`
      const { Resolver } = require("node:dns").promises;
      const resolver = new Resolver({ timeout: 300, tries: 1 });
      resolver.setServers(["127.0.0.1:${resolver.address().port}"]);
      return resolver.resolve4("secret.evil.test").catch((e) => e.code);`);
    expect(out).toBe("ECONNREFUSED");
    // The same question from out here arrives: the resolver does listen.
    const [probe] = [createSocket("udp4")];
    probe.send("probe", resolver.address().port, "127.0.0.1");
    await once(resolver, "message");
    probe.close();
    expect(packets).toBe(1);
  });

  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["169.254.169.254", "169.254.169.254"],
    ["10.1.2.3", "10.1.2.3"],
    ["[::1]", "::1"],
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["[fe80::1]", "fe80::1"],
    ["[fd00::1]", "fd00::1"],
    ["224.0.0.1", "224.0.0.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["localhost", "localhost"],
  ])("refuses the private address %s, although all hosts are open", async (written, host) => {
    const { run, refusals } = await openAttempt({ network: true });
    const { out } = await run(`return connect("${written}:80")`);
    expect(out).toContain("403 Refused by Cadre");
    expect(refusals).toEqual([{ host, port: 80, why: expect.stringContaining("not a public address") }]);
  });

  it("connects to the address that it has looked at: a name that changes its mind leads nowhere else", async () => {
    const { port } = await serve((_, response) => response.end("reached"));
    let asked = 0;
    const resolve = async () => [{ address: asked++ === 0 ? "192.0.2.1" : "127.0.0.1", family: 4 }];
    const { run, refusals } = await openAttempt({ network: [`rebind.test:${port}`], resolve });
    const { out } = await run(`return (await connect("rebind.test:${port}")) + (await connect("rebind.test:${port}"))`);
    expect(out).not.toContain("200 ");
    expect(asked).toBe(2);
    expect(refusals.map(({ why }) => why)).toEqual(["rebind.test leads to 192.0.2.1, not a public address"]);
  });

  it("refuses a name of which only one address is private", async () => {
    const resolve = async () => [
      { address: "93.184.216.34", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const { run } = await openAttempt({ network: true, resolve });
    expect((await run(`return connect("both.test:80")`)).out).toContain("leads to 127.0.0.1");
  });

  it("says that a host is not there, which is no refusal", async () => {
    const resolve = () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
    const { run, refusals } = await openAttempt({ network: true, resolve });
    expect((await run(`return get("http://nowhere.test/")`)).out).toBe(
      "502 The address of nowhere.test could not be found (ENOTFOUND).",
    );
    expect(refusals).toEqual([]);
  });

  it("lets a server of this machine be reached at its own port, by name and by number, when it is told to", async () => {
    const { port } = await serve((request, response) => response.end(`local ${request.headers.host}`));
    const other = await serve((_, response) => response.end("other"));
    const { run, egress, refusals } = await openAttempt();
    await egress.letReach([{ host: "localhost", port }]);
    await egress.letReach([{ host: "localhost", port }]);
    const { out } = await run(`
      console.log(await get("http://localhost:${port}/")); console.log(await get("http://127.0.0.1:${port}/"));
      console.log(await get("http://127.0.0.1:${other.port}/"));`);
    expect(out.split("\n")).toEqual([
      `200 local localhost:${port}`,
      `200 local 127.0.0.1:${port}`,
      "failed ECONNREFUSED",
    ]);
    expect(refusals).toEqual([]);
  });

  it("reaches a server of this machine that the policy names with its port, where the user lets it", async () => {
    const { port } = await serve((_, response) => response.end("local"));
    const network = [`localhost:${port}`];
    const [open, shut] = await Promise.all([
      openAttempt({ network, privateHosts: ["localhost"] }),
      openAttempt({ network }),
    ]);
    const ask = `return get("http://localhost:${port}/")`;
    expect((await Promise.all([open.run(ask), shut.run(ask)])).map(({ out }) => out)).toEqual([
      "200 local",
      "failed ECONNREFUSED",
    ]);
  });

  it("lets a host be reached that the policy does not have, when it is told to", async () => {
    const { port } = await serve((_, response) => response.end("api"));
    const { run, egress } = await openAttempt();
    await egress.letReach([{ host: "api.test", port }]);
    expect((await run(`return (await get("http://api.test:${port}/")) + (await get("http://api.test/"))`)).out).toBe(
      "200 api403 Cadre refuses the connection to api.test, port 80: this agent has no network. Do not look for another way: go on without it, or say in your answer that you would need it.",
    );
  });

  it("is one for all programs of an attempt, and another for another attempt", async () => {
    const { port } = await serve((_, response) => response.end("reached"));
    const [a, b] = await Promise.all([
      openAttempt({ network: [`a.test:${port}`], privateHosts: ["*.test"] }),
      openAttempt({ network: [`b.test:${port}`], privateHosts: ["*.test"] }),
    ]);
    const ask = `return (await get("http://a.test:${port}/")).slice(0, 3) + (await get("http://b.test:${port}/")).slice(0, 3)`;
    expect((await Promise.all([a.run(ask), b.run(ask)])).map(({ out }) => out)).toEqual(["200403", "403200"]);
    const server = a.start(
      `require("node:http").createServer((q, r) => r.end("neighbour")).listen(8123, "127.0.0.1", () => console.log("up"))`,
    );
    for await (const _ of server.stdout) break;
    const look = `return get("http://127.0.0.1:8123/")`;
    expect((await Promise.all([a.run(look), b.run(look)])).map(({ out }) => out)).toEqual([
      "200 neighbour",
      "failed ECONNREFUSED",
    ]);
  });
});
