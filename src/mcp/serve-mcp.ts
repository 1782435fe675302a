// `cadre mcp`: speaks the protocol until the host closes it. Tasks go on without it.
import type { Tool, Transport } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Cadre } from "../app/index.ts";
import type { Dialect } from "../operations/words.ts";
import { openDesk } from "./desk.ts";
import { makeServer, shown } from "./make-server.ts";
import { mannerOf } from "./manner.ts";
import { toolsFor } from "./toolset.ts";

/** How often the agents are looked at, once a host has been told of them. */
const LOOK_EVERY_MS = 3_000;

export interface ServeWishes {
  readonly version: string;
  readonly dialect: Dialect;
  readonly waitMs?: number | undefined;
  /** Called when the first call needs it. */
  readonly open: () => Promise<Cadre>;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  /** Default: standard input and output. */
  readonly transport?: Transport | undefined;
}

export async function serveMcp(wishes: ServeWishes): Promise<void> {
  const { version, waitMs, log, signal } = wishes;
  const transport = withBareTasks(wishes.transport ?? new StdioServerTransport());
  const manner = mannerOf(wishes.dialect);
  const desk = openDesk(wishes.open, log);
  const closed = Promise.withResolvers<void>();
  const changed = new Set<() => Promise<void>>();
  let told: string | undefined;
  const listed = (tools: readonly Tool[]) => void (told = JSON.stringify(tools));

  const handle = serveStdio(
    () => {
      const mcp = makeServer({ version, desk, manner, waitMs, listed });
      changed.add(() => mcp.server.sendToolListChanged());
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

  let isLooking = false;
  const timer = setInterval(() => {
    if (told === undefined || isLooking) return;
    isLooking = true;
    void desk.agents().then((agents) => {
      isLooking = false;
      const now = JSON.stringify(toolsFor(manner, agents).map(shown));
      if (now === told) return;
      told = now;
      for (const tell of changed) tell().catch(() => undefined); // a probe's connection is gone already
    });
  }, LOOK_EVERY_MS);
  timer.unref();

  try {
    await closed.promise;
  } finally {
    clearInterval(timer);
    await desk.close();
  }
}

/** The library puts an empty `content` beside a task. A task has none. */
function withBareTasks(transport: Transport): Transport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("result" in message && message.result["resultType"] === "task") delete message.result["content"];
    return send(message, options);
  };
  return transport;
}
