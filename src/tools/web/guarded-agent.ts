// Connections that lead to the public Internet only. The address is looked at when the connection is made, and
// exactly that address is connected to: a name that means another place a moment later leads nowhere else.
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector } from "undici";
import { coversHost } from "../../domain/policy.ts";

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export interface Guard {
  /** Hosts that may lie anywhere: named by the user, never by a project or a model. */
  readonly privateHosts: readonly string[];
  readonly resolve: Resolve;
}

/** The host lies where agents may not reach. */
export class AddressRefused extends Error {
  constructor(host: string, address: string) {
    super(host === address ? `${host} is not a public address` : `${host} leads to ${address}, not a public address`);
  }
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;

export function guardedAgent(guard: Guard): Agent {
  const isListed = (host: string): boolean => guard.privateHosts.some((rule) => coversHost(rule, host));
  const connect = buildConnector({
    timeout: CONNECT_MS,
    lookup(host, options, answer) {
      void lookUp(host, guard.resolve, isListed(host)).then(
        (found) => {
          const [first] = found;
          if (options.all === true) answer(null, [...found]);
          else answer(null, first.address, first.family);
        },
        (error: unknown) => answer(error instanceof Error ? error : new Error(String(error)), ""),
      );
    },
  });
  return new Agent({
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
    connect(options, callback) {
      // An address that is written out is never looked up.
      const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
      if (isIP(host) !== 0 && !isPublic(host) && !isListed(host)) callback(new AddressRefused(host, host), null);
      else connect(options, callback);
    },
  });
}

type Found = readonly [LookupAddress, ...LookupAddress[]];

async function lookUp(host: string, resolve: Resolve, isListed: boolean): Promise<Found> {
  const [first, ...others] = await resolve(host);
  if (first === undefined) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
  const found: Found = [first, ...others];
  const wrong = isListed ? undefined : found.find(({ address }) => !isPublic(address));
  if (wrong !== undefined) throw new AddressRefused(host, wrong.address);
  return found;
}

/** Neither this machine, nor its network, nor one of the ranges with a special meaning. */
export const isPublic = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === "unicast";
