// Which hosts and ports an attempt's programs may reach.
import { coversHost } from "../../domain/policy.ts";
import type { ReachableHost } from "../../ports/index.ts";
import type { Network } from "../../schema/index.ts";
import { canonicalHost, splitHost } from "./host-names.ts";

/** Of a host without a port. */
const USUAL_PORTS: ReadonlySet<number> = new Set([80, 443]);
const SHOWN = 8;

export type Reach =
  | { readonly kind: "allowed"; readonly mayBePrivate: boolean }
  | { readonly kind: "refused"; readonly why: string };

export class NetworkRules {
  readonly #network: Network;
  readonly #privateHosts: readonly string[];
  readonly #added = new Set<string>();

  constructor(network: Network, privateHosts: readonly string[]) {
    this.#network = network;
    this.#privateHosts = privateHosts;
  }

  /** Beside the policy, and wherever they lie: whoever calls answers for them. */
  add(hosts: readonly ReachableHost[]): void {
    for (const { host, port } of hosts) this.#added.add(`${canonicalHost(host) ?? host} ${port}`);
  }

  /** Servers of this machine that the policy names with their port, and that the user lets be reached. */
  get local(): ReachableHost[] {
    if (typeof this.#network === "boolean") return [];
    return this.#network.map(splitHost).flatMap(({ host, port }) => {
      if (port === undefined || !isLoopback(host)) return [];
      const reach = this.of(canonicalHost(host) ?? host, port);
      return reach.kind === "allowed" && reach.mayBePrivate ? [{ host, port }] : [];
    });
  }

  /** `host` as `canonicalHost` writes it. */
  of(host: string, port: number): Reach {
    if (this.isAdded(host, port)) return { kind: "allowed", mayBePrivate: true };
    const why = this.#whyNot(host, port);
    if (why !== undefined) return { kind: "refused", why };
    return { kind: "allowed", mayBePrivate: this.#privateHosts.some((rule) => coversHost(rule, host)) };
  }

  /**
   * Whether something may be changed there by plain HTTP. Of an encrypted request nobody sees the method; of one that
   * is not, whoever wrote the rules must have meant that very port.
   */
  mayChange(host: string, port: number): boolean {
    if (this.isAdded(host, port)) return true;
    if (typeof this.#network === "boolean") return false;
    return this.#network.map(splitHost).some((rule) => rule.port === port && coversHost(rule.host, host));
  }

  isAdded(host: string, port: number): boolean {
    return this.#added.has(`${host} ${port}`);
  }

  #whyNot(host: string, port: number): string | undefined {
    if (this.#network === true) return undefined;
    if (this.#network === false) return "this agent has no network";
    const fitting = this.#network.map(splitHost).filter((rule) => coversHost(rule.host, host));
    if (fitting.length === 0) return `it is not among the hosts of this agent (${listed(this.#network)})`;
    if (fitting.some((rule) => (rule.port === undefined ? USUAL_PORTS.has(port) : rule.port === port)))
      return undefined;
    return `its port ${port} is not open to this agent, which would need the host as ${shownHost(host)}:${port}`;
  }
}

const listed = (hosts: readonly string[]): string =>
  hosts.length <= SHOWN ? hosts.join(", ") : `${hosts.slice(0, SHOWN).join(", ")} and ${hosts.length - SHOWN} others`;

const shownHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** This machine itself. */
export const isLoopback = (host: string): boolean => {
  const address = loopbackAddress(host);
  return address === "::1" || address.startsWith("127.");
};

/** Where a client that is told this name connects to. */
export function loopbackAddress(host: string): string {
  const name = canonicalHost(host) ?? host;
  return name === "localhost" || name.endsWith(".localhost") ? "127.0.0.1" : name;
}
