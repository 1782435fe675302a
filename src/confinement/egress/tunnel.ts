import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ReachableHost } from "../../ports/index.ts";
import { refusedAt } from "./connect-to.ts";
import { firstWords } from "./first-words.ts";
import { join } from "./join.ts";
import type { ProxyParts } from "./proxy.ts";

/**
 * Joins both sides, once the client has said what it speaks; a server may speak first. `http`: they are not joined, and
 * the connection to the server is closed: each request is to be passed on by itself.
 */
export async function tunnelTo(
  client: Duplex,
  upstream: Socket,
  place: ReachableHost,
  parts: Pick<ProxyParts, "rules" | "carriesSecret" | "onRefused">,
): Promise<"http" | "other"> {
  if (parts.rules.isAdded(place.host, place.port)) {
    join(client, upstream);
    return "other";
  }
  const endClient = (): void => void client.end();
  const dropClient = (): void => void client.destroy();
  upstream.pipe(client, { end: false });
  upstream.once("end", endClient).once("close", dropClient);
  const { kind, line, rest } = await firstWords(client);
  upstream.unpipe(client);
  upstream.off("end", endClient).off("close", dropClient);
  if (kind === "http") {
    upstream.destroy();
    return "http";
  }
  const why = kind === "http2" ? "HTTP/2 without encryption is not passed on" : secretIn(line, parts);
  if (why !== undefined) {
    refusedAt(place, why, parts);
    for (const socket of [client, upstream]) socket.destroy();
  } else if (upstream.destroyed || client.destroyed) {
    for (const socket of [client, upstream]) socket.destroy();
  } else if (rest !== null) {
    upstream.end(rest);
    upstream.pipe(client);
  } else join(client, upstream);
  return "other";
}

const secretIn = (line: string, { carriesSecret }: Pick<ProxyParts, "carriesSecret">): string | undefined =>
  carriesSecret(line) ? "what was to be sent without encryption holds a secret" : undefined;
