// Connections that lead to the public Internet only. The address is looked at when the connection is made, and
// exactly that address is connected to: a name that means another place a moment later leads nowhere else.
import { isIP } from "node:net";
import { Agent, buildConnector } from "undici";
import { coversHost } from "../../domain/policy.ts";
import { AddressRefused, addressesOf, isPublic, type Resolve } from "../../platform/public-address.ts";

export interface Guard {
  /** Hosts that may lie anywhere: named by the user, never by a project or a model. */
  readonly privateHosts: readonly string[];
  readonly resolve: Resolve;
  /** How long a host may be silent. */
  readonly answerMs?: number | undefined;
}

const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;

export function guardedAgent(guard: Guard): Agent {
  const isListed = (host: string): boolean => guard.privateHosts.some((rule) => coversHost(rule, host));
  const connect = buildConnector({
    timeout: CONNECT_MS,
    lookup(host, options, answer) {
      void addressesOf(host, guard.resolve, isListed(host)).then(
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
    headersTimeout: guard.answerMs ?? ANSWER_MS,
    bodyTimeout: guard.answerMs ?? ANSWER_MS,
    connect(options, callback) {
      // An address that is written out is never looked up.
      const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
      if (isIP(host) !== 0 && !isPublic(host) && !isListed(host)) callback(new AddressRefused(host, host), null);
      else connect(options, callback);
    },
  });
}
