// The way out of one attempt: opened when it is first used, and closed with the attempt.
import { lookup } from "node:dns/promises";
import type { Dispatcher } from "undici";
import type { Answered, Asked } from "./exchange.ts";
import type { WebParts } from "./web-parts.ts";
import { withinTime } from "./within-time.ts";

export interface Connection extends AsyncDisposable {
  /** Rejects where there is no answer: see `networkProblem`. */
  send(asked: Asked, also?: readonly string[]): Promise<Answered>;
  /** What went wrong, in words. */
  explain(error: unknown, url: URL): Promise<string>;
}

const TIME_MS = 60_000;

export function openConnection(parts: WebParts, signal: AbortSignal): Connection {
  const { clock, privateHosts = [], resolve = (host) => lookup(host, { all: true }) } = parts;
  const agents = new Map<string, Dispatcher>();
  /** Undici takes a while to load, and most attempts never ask the web. */
  const agentFor = async (also: readonly string[]): Promise<Dispatcher> => {
    const { guardedAgent } = await import("./guarded-agent.ts");
    const key = also.join(" ");
    const agent = agents.get(key) ?? guardedAgent({ privateHosts: [...privateHosts, ...also], resolve });
    agents.set(key, agent);
    return agent;
  };
  return {
    async send(asked, also = []) {
      const agent = await agentFor(also);
      const { exchange } = await import("./exchange.ts");
      return withinTime(clock, TIME_MS, signal, (until) => exchange(agent, asked, until));
    },
    async explain(error, url) {
      const { networkProblem } = await import("./network-problem.ts");
      return networkProblem(error, url, signal);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}
