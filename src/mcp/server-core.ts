// What one process of the server has, however it is reached: the tools, the hosts that it knows, and news for them.
import { randomBytes } from "node:crypto";
import type { McpServer, Tool } from "@modelcontextprotocol/server";
import type { Cadre } from "../app/index.ts";
import type { Dialect } from "../operations/words.ts";
import type { AgentDefinition } from "../schema/index.ts";
import { callStates } from "./call-state.ts";
import { type Desk, openDesk } from "./desk.ts";
import type { HostSession } from "./host-session.ts";
import type { HostTool } from "./host-tool.ts";
import { makeServer, shown } from "./make-server.ts";
import { mannerOf } from "./manner.ts";
import { dependsOnAgents, toolsFor } from "./toolset.ts";

export interface CoreWishes {
  readonly version: string;
  readonly dialect: Dialect;
  readonly waitMs?: number | undefined;
  /** Called when the first call needs it. */
  readonly open: () => Promise<Cadre>;
  readonly log: (line: string) => void;
  /** What seals what goes through a host. Default: a new one. */
  readonly stateKey?: Uint8Array | undefined;
  /** Default: those of the dialect. */
  readonly tools?: ((agents: readonly AgentDefinition[]) => readonly HostTool[]) | undefined;
}

export interface ServerCore {
  readonly make: (sessionOf: (host: string | undefined) => HostSession) => McpServer;
  /** Told whenever the tools are not what hosts were last told. */
  readonly onChange: (tell: () => void) => void;
  readonly log: (line: string) => void;
  readonly close: () => Promise<void>;
}

export function openCore(wishes: CoreWishes): ServerCore {
  const { version, waitMs, log } = wishes;
  const manner = mannerOf(wishes.dialect);
  const tools = wishes.tools ?? ((agents: readonly AgentDefinition[]) => toolsFor(manner, agents));
  const desk = openDesk(wishes.open, log);
  const news = newsOfTools(desk, (agents) => tools(agents).map(shown));
  const states = callStates(wishes.stateKey ?? randomBytes(32));
  const fixed = tools([]);
  const listTools = async () => tools(await desk.agents());
  const callTools = async () => (dependsOnAgents(manner) ? listTools() : fixed);
  return {
    make: (sessionOf) =>
      makeServer({ version, desk, manner, waitMs, listTools, callTools, states, sessionOf, listed: news.listed }),
    onChange: news.onChange,
    log,
    async close() {
      news.close();
      await desk.close();
    },
  };
}

interface News {
  readonly listed: (tools: readonly Tool[]) => void;
  readonly onChange: (tell: () => void) => void;
  readonly close: () => void;
}

/** Watches the agents from the first time that somebody was told of them. */
function newsOfTools(desk: Desk, toolsOf: (agents: readonly AgentDefinition[]) => readonly Tool[]): News {
  const closing = new AbortController();
  const listeners: (() => void)[] = [];
  let told: string | undefined;
  let isWatching = false;
  const look = async (): Promise<void> => {
    const now = JSON.stringify(toolsOf(await desk.agents()));
    if (now === told || closing.signal.aborted) return;
    told = now;
    for (const tell of listeners) tell();
  };
  const watch = async (): Promise<void> => {
    const cadre = await desk.cadre();
    await cadre.watchAgents(() => void look(), closing.signal);
  };
  return {
    listed(tools) {
      told = JSON.stringify(tools);
      if (isWatching) return;
      isWatching = true;
      // A home that cannot be opened has no agents to watch: the next list tries again.
      void watch().catch(() => (isWatching = false));
    },
    onChange: (tell) => void listeners.push(tell),
    close: () => closing.abort(),
  };
}
