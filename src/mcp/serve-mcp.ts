// `cadre mcp`: speaks the protocol until the host closes it. Tasks go on without it.
import { randomUUID } from "node:crypto";
import type { Transport } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { hostSession } from "./host-session.ts";
import { type CoreWishes, openCore } from "./server-core.ts";

export interface ServeWishes extends CoreWishes {
  readonly signal: AbortSignal;
  /** Default: standard input and output. */
  readonly transport?: Transport | undefined;
}

export async function serveMcp(wishes: ServeWishes): Promise<void> {
  const { log, signal } = wishes;
  const transport = wishes.transport ?? new StdioServerTransport();
  const core = openCore(wishes);
  // A host starts a process for itself alone.
  const session = hostSession(randomUUID());
  const closed = Promise.withResolvers<void>();
  const handle = serveStdio(
    () => {
      const mcp = core.make(() => session);
      core.onChange(() => void mcp.server.sendToolListChanged().catch(() => undefined)); // a probe's connection is gone
      return mcp;
    },
    { transport, onerror: (error) => log(`protocol: ${error.message}`) },
  );
  // The entry has put its own listener there: this one comes after it.
  const { onclose } = transport;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport is no event target
  transport.onclose = () => {
    onclose?.();
    closed.resolve();
  };
  const close = () => void handle.close().then(closed.resolve, closed.resolve);
  if (signal.aborted) close();
  signal.addEventListener("abort", close, { once: true });
  try {
    await closed.promise;
  } finally {
    await core.close();
  }
}
