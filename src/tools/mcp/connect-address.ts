import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { McpServer } from "../../schema/index.ts";
import type { AddressWish, ConnectedServer } from "./connected-server.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { ServerFault } from "./message-lines.ts";
import { openClient, wordsOf } from "./open-client.ts";

/** A token may have to be renewed before there is an answer. */
const PROBE_MS = 15_000;

export async function connectAddress(
  wish: AddressWish,
  server: Extract<McpServer, { url: string }>,
): Promise<ConnectedServer> {
  const url = new URL(server.url);
  const { privateHosts, resolve, values, login, patienceMs } = wish;
  const guarded = guardedFetch({ url, privateHosts, resolve, silenceMs: server.timeout_ms });
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: guarded.fetch,
    requestInit: { headers: values },
    redirectPolicy: "same-origin",
    onInsufficientScope: "throw",
    ...(login === undefined ? {} : { authProvider: login }),
  });
  const end = async () => guarded[Symbol.asyncDispose]();
  const how = { ...wish, transport, era: "auto", probeMs: patienceMs ?? PROBE_MS, callMs: server.timeout_ms } as const;
  try {
    return await openClient({ ...how, end });
  } catch (error) {
    await end();
    throw new ServerFault(wordsOf(error), { cause: error });
  }
}
