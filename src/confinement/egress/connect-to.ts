import type { LookupAddress } from "node:dns";
import { connect, type LookupFunction, type Socket } from "node:net";
import { AddressRefused, addressesOf, type FoundAddresses } from "../../platform/public-address.ts";
import type { ReachableHost } from "../../ports/index.ts";
import { refuse } from "./problem.ts";
import type { ProxyParts } from "./proxy.ts";

const CONNECT_MS = 20_000;
const HOW = "Do not look for another way: go on without it, or say in your answer that you would need it.";

/** A refusal that is also told to a person. */
export function refusedAt({ host, port }: ReachableHost, why: string, { onRefused }: Pick<ProxyParts, "onRefused">) {
  onRefused({ host, port, why });
  return refuse(403, `Cadre refuses the connection to ${host}, port ${port}: ${why}. ${HOW}`);
}

/** A connection to a host that the rules allow. Rejects with a problem that can be shown. */
export async function connectTo(place: ReachableHost, parts: ProxyParts): Promise<Socket> {
  const { host, port } = place;
  const { rules, resolve } = parts;
  const refused = (why: string) => refusedAt(place, why, parts);
  const reach = rules.of(host, port);
  if (reach.kind === "refused") throw refused(reach.why);
  let found: FoundAddresses;
  try {
    found = await addressesOf(host, resolve, reach.mayBePrivate);
  } catch (error) {
    if (error instanceof AddressRefused) throw refused(error.message);
    throw refuse(502, `The address of ${host} could not be found (${codeOf(error)}).`);
  }
  return connected(place, found);
}

function connected({ host, port }: ReachableHost, found: FoundAddresses): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: answering(found), allowHalfOpen: true, noDelay: true });
    const fail = (error: unknown): void => {
      socket.destroy();
      reject(refuse(502, `${host}, port ${port}, could not be reached (${codeOf(error)}).`));
    };
    socket.setTimeout(CONNECT_MS, () => fail(new Error("it took too long")));
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.off("error", fail);
      socket.on("error", () => socket.destroy());
      socket.removeAllListeners("timeout").setTimeout(0);
      resolve(socket);
    });
  });
}

/** Nobody is asked again: these are the addresses that were looked at. */
const answering =
  ([first, ...others]: FoundAddresses): LookupFunction =>
  (_host, options, answer) => {
    const all: LookupAddress[] = [first, ...others];
    if (options.all === true) answer(null, all);
    else answer(null, first.address, first.family);
  };

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
