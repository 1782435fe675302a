// Where a host lies, looked at before anything is sent there. Exactly the addresses that were looked at are to be
// connected to: a name that means another place a moment later leads nowhere else.
import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export type FoundAddresses = readonly [LookupAddress, ...LookupAddress[]];

/** The host lies where agents may not reach. */
export class AddressRefused extends Error {
  constructor(host: string, address: string) {
    super(host === address ? `${host} is not a public address` : `${host} leads to ${address}, not a public address`);
  }
}

/** Rejects where there is no address, and with `AddressRefused` where one of them is not public and must be. */
export async function addressesOf(host: string, resolve: Resolve, mayBePrivate: boolean): Promise<FoundAddresses> {
  const family = isIP(host);
  const [first, ...others] = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (first === undefined) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
  const found: FoundAddresses = [first, ...others];
  const wrong = mayBePrivate ? undefined : found.find(({ address }) => !isPublic(address));
  if (wrong !== undefined) throw new AddressRefused(host, wrong.address);
  return found;
}

/** Neither this machine, nor its network, nor one of the ranges with a special meaning. */
export const isPublic = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === "unicast";
