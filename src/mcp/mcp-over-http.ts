// The protocol over HTTP, in both eras, at one path: sessions for the earlier one, each request for itself in the later.
import { randomUUID } from "node:crypto";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { type HostSession, hostSession } from "./host-session.ts";
import { legacySessions } from "./legacy-sessions.ts";
import type { ServerCore } from "./server-core.ts";

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MOST_NAMES = 1_000;

export interface McpOverHttp {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export function mcpOverHttp(core: ServerCore): McpOverHttp {
  const limits = { maxRequestBodySize: MAX_BODY_BYTES };
  const legacy = legacySessions(core, MAX_BODY_BYTES);
  const onerror = ({ message }: Error) => core.log(`protocol: ${message}`);
  const sessionOf = byName();
  const modern = createMcpHandler(() => core.make(sessionOf), { legacy: "reject", onerror, ...limits });
  core.onChange(() => {
    legacy.toolsChanged();
    modern.notify.toolsChanged();
  });
  return {
    fetch: async (request) =>
      (await isLegacyRequest(request, undefined, limits)) ? legacy.fetch(request) : modern.fetch(request),
    async close() {
      await modern.close();
      await legacy.close();
      await core.close();
    },
  };
}

/** The later era has no sessions: whoever holds the token and says the same name is one host. */
function byName(): (host: string | undefined) => HostSession {
  const known = new Map<string, HostSession>();
  return (host = "") => {
    const found = known.get(host) ?? hostSession(randomUUID());
    known.delete(host);
    known.set(host, found);
    const [oldest] = known.keys();
    if (known.size > MOST_NAMES && oldest !== undefined) known.delete(oldest);
    return found;
  };
}
