// The earlier era over HTTP: a host opens a session, and each one has a server of its own. Nothing is shared between two.
import { randomUUID } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { hostSession } from "./host-session.ts";
import type { ServerCore } from "./server-core.ts";

/** A host that has said nothing for so long has left without a word. */
const IDLE_MS = 3_600_000;
const SWEEP_MS = 60_000;
const MOST = 200;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** How many requests are being answered; while there is one, it is not idle. */
  busy: number;
  lastAt: number;
}

export interface LegacySessions {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly toolsChanged: () => void;
  readonly close: () => Promise<void>;
}

export function legacySessions(core: ServerCore, maxBodyBytes: number): LegacySessions {
  const sessions = new Map<string, Session>();
  const tell = new Map<string, () => Promise<void>>();
  const drop = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    tell.delete(id);
    await session?.transport.close();
  };
  const sweep = setInterval(() => {
    for (const [id, { busy, lastAt }] of sessions)
      if (busy === 0 && performance.now() - lastAt > IDLE_MS) void drop(id);
  }, SWEEP_MS).unref();

  /** It is a session once it has been opened by the protocol: what opens none is gone with its answer. */
  const open = async (): Promise<Session> => {
    const mcp = core.make(() => own);
    const own = hostSession(randomUUID());
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      maxRequestBodySize: maxBodyBytes,
      onsessioninitialized(id) {
        sessions.set(id, session);
        tell.set(id, () => mcp.server.sendToolListChanged());
      },
      onsessionclosed: (id) => void drop(id),
    });
    const session: Session = { transport, busy: 0, lastAt: performance.now() };
    await mcp.connect(transport);
    return session;
  };

  return {
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (id !== null && known === undefined) return refused(404, -32_001, "Session not found");
      if (known === undefined && sessions.size >= MOST) return refused(503, -32_000, "Too many sessions");
      const session = known ?? (await open());
      session.busy++;
      const response = await session.transport.handleRequest(request).finally(() => {
        session.busy--;
        session.lastAt = performance.now();
      });
      const isOpen = [...sessions.values()].includes(session);
      if (known === undefined && !isOpen) await session.transport.close();
      return response;
    },
    toolsChanged() {
      for (const one of tell.values()) one().catch(() => undefined);
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions.keys()].map(drop));
    },
  };
}

const refused = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
