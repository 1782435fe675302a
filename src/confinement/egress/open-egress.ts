// The way out of one attempt. Its programs run in a network of their own, in which nobody answers but this worker:
// by a proxy that holds to the policy, and at ports that lead to single servers of this machine.
import { lookup } from "node:dns/promises";
import type { Resolve } from "../../platform/public-address.ts";
import type { HostRefusal, ReachableHost } from "../../ports/index.ts";
import type { Network } from "../../schema/index.ts";
import { forwardTo } from "./forward.ts";
import { isLoopback, loopbackAddress, NetworkRules } from "./network-rules.ts";
import { openNamespace } from "./open-namespace.ts";
import { openProxy } from "./proxy.ts";
import { proxyEnvironment } from "./proxy-environment.ts";
import { sayOnce } from "./say-once.ts";

export interface EgressOptions {
  /** What the agent's policy says. */
  readonly network: Network;
  /** Hosts that may lie anywhere: named by the user, never by a project or a model. */
  readonly privateHosts: readonly string[];
  /** Once per host and port, and not for more than a bounded number of them. */
  onRefused(refusal: HostRefusal): void;
  carriesSecret(text: string): boolean;
  readonly resolve?: Resolve | undefined;
}

export interface Egress {
  /** By which programs find the proxy. A program that takes no notice reaches nothing. */
  readonly env: Readonly<Record<string, string>>;
  /** Puts a program into the attempt's network: the `enter` of its `Command`, never among its arguments. */
  readonly enter: readonly string[];
  /** Lets the attempt's programs reach these too, wherever they lie. */
  letReach(hosts: readonly ReachableHost[]): Promise<void>;
  /** When no program of the attempt runs any more, or will: what `enter` names may be another one's afterwards. */
  release(): Promise<void>;
}

/** Rejects where this machine cannot do it. Nothing of it is a process: it ends with this one, however that ends. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const { network, privateHosts, resolve = (host) => lookup(host, { all: true }) } = options;
  const rules = new NetworkRules(network, privateHosts);
  const { namespace, servers } = await openNamespace([{ host: "127.0.0.1", port: 0 }]);
  const proxy = openProxy({
    rules,
    resolve,
    onRefused: sayOnce((refusal) => options.onRefused(refusal)),
    carriesSecret: (text) => options.carriesSecret(text),
  });
  const doors = new Map<string, Disposable>();
  let released: Promise<void> | undefined;
  try {
    const [inside] = servers;
    if (inside === undefined) throw new Error("the proxy has no port");
    proxy.listen(inside.server);
    await openDoors(rules.local);
    return {
      env: proxyEnvironment(inside.port),
      enter: namespace.enter,
      async letReach(hosts) {
        rules.add(hosts);
        await openDoors(hosts.filter(({ host }) => isLoopback(host)));
      },
      release: () => (released ??= letGo()),
    };
  } catch (error) {
    await letGo();
    throw error;
  }

  async function letGo(): Promise<void> {
    for (const door of doors.values()) door[Symbol.dispose]();
    await proxy.close();
    namespace.close();
  }

  /** Clients ask no proxy for this machine: so the very port is open in there, and leads to the one out here. */
  async function openDoors(hosts: readonly ReachableHost[]): Promise<void> {
    const wanted = new Map(hosts.map((place) => [`${place.host} ${place.port}`, place]));
    const missing = [...wanted].filter(([key]) => !doors.has(key));
    if (missing.length === 0) return;
    const found = await namespace.listen(missing.map(([, { host, port }]) => ({ host: loopbackAddress(host), port })));
    for (const [at, [key, place]] of missing.entries()) {
      const listening = found[at];
      if (listening !== undefined) doors.set(key, forwardTo(listening.server, place));
    }
  }
}
