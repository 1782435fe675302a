// The proxy alone, on a port of this machine, with limits that a test can wait for.
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { NetworkRules } from "../../../src/confinement/egress/network-rules.ts";
import { openProxy, type ProxyLimits } from "../../../src/confinement/egress/proxy.ts";
import { listening } from "./kit.ts";

const WIDE: ProxyLimits = { connections: 100, headerBytes: 4096, headersMs: 60_000, idleMs: 60_000 };

async function openProxyAt(limits: Partial<ProxyLimits>): Promise<number> {
  const rules = new NetworkRules(true, ["*.test"]);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const proxy = openProxy(
    { rules, resolve, onRefused: () => undefined, carriesSecret: () => false },
    { ...WIDE, ...limits },
  );
  const place = createServer();
  const port = await listening(place);
  proxy.listen(place);
  onTestFinished(() => proxy.close());
  return port;
}

async function client(
  port: number,
  text = "",
): Promise<{ socket: Socket; said: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let said = "";
  socket.setEncoding("utf8").on("data", (part: string) => (said += part));
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write(text);
  return { socket, said: () => said, closed };
}

describe("the limits of the proxy", () => {
  it("ends who takes too long to say what he wants", async () => {
    const { said, closed } = await client(
      await openProxyAt({ headersMs: 50 }),
      "CONNECT slow.test:443 HTTP/1.1\r\nx: y\r\n",
    );
    await closed;
    expect(said()).toMatch(/^(HTTP\/1\.1 408 Request Timeout|$)/);
  });

  it("ends a tunnel in which nobody says anything", async () => {
    const server = createServer(() => undefined);
    const port = await listening(server);
    const { said, closed } = await client(
      await openProxyAt({ idleMs: 1_000 }), // time enough to get there
      `CONNECT idle.test:${port} HTTP/1.1\r\n\r\n`,
    );
    await closed;
    expect(said()).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
  });

  it("takes no more connections than it may have, and others again when one has gone", async () => {
    const port = await openProxyAt({ connections: 2 });
    const [first] = [await client(port), await client(port)];
    const third = await client(port, "GET / HTTP/1.1\r\n\r\n");
    await third.closed;
    expect(third.said()).toBe("");
    first.socket.end("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    await first.closed;
    const fourth = await client(port, "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    await fourth.closed;
    expect(fourth.said()).toContain("400 Bad Request");
  });

  it("carries what comes after one side has said all that it has to say", async () => {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let heard = "";
      socket.setEncoding("utf8").on("data", (part: string) => (heard += part));
      socket.on("end", () => socket.end(`heard ${heard}`));
    });
    const port = await listening(server);
    const { socket, said, closed } = await client(await openProxyAt({}), `CONNECT half.test:${port} HTTP/1.1\r\n\r\n`);
    await once(socket, "data");
    socket.end("all of it");
    await closed;
    expect(said()).toMatch(/heard all of it$/);
  });
});
