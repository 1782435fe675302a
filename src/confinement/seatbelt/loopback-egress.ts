// The way out of one attempt where there are no networks of their own: the same proxy, at a port of this machine that
// is the only one which the attempt's profile names.
import { lookup } from "node:dns/promises";
import { createServer, type Server } from "node:net";
import type { WayOut, WayOutOptions } from "../egress/attempt-network.ts";
import { isLoopback, NetworkRules } from "../egress/network-rules.ts";
import { proxyEnvironment } from "../egress/proxy-environment.ts";
import { openProxy } from "../egress/proxy.ts";
import { sayOnce } from "../egress/say-once.ts";
import type { Resolve } from "../../platform/public-address.ts";

export interface LoopbackEgress extends WayOut {
  /** Of this machine, that the attempt's programs may reach. */
  readonly ports: ReadonlySet<number>;
}

const lookUp: Resolve = (host) => lookup(host, { all: true });

export async function openLoopbackEgress(options: WayOutOptions): Promise<LoopbackEgress> {
  const rules = new NetworkRules(options.network, options.privateHosts);
  const proxy = openProxy({
    rules,
    resolve: lookUp,
    onRefused: sayOnce((refusal) => options.onRefused(refusal)),
    carriesSecret: (text) => options.carriesSecret(text),
  });
  const { server, port } = await listening();
  proxy.listen(server);
  // Clients ask no proxy for this machine: so its very port is open.
  const ports = new Set([port, ...rules.local.map((place) => place.port)]);
  return {
    env: proxyEnvironment(port),
    ports,
    async letReach(hosts) {
      rules.add(hosts);
      for (const place of hosts) if (isLoopback(place.host)) ports.add(place.port);
    },
    release: () => proxy.close(),
  };
}

async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the proxy has no port");
  return { server, port: address.port };
}
