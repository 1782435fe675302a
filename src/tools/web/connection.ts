// The way out of one attempt: opened when it is first used, and closed with the attempt.
import { lookup } from "node:dns/promises";
import type { Dispatcher } from "undici";
import { carriesSecret } from "../../domain/outbound-secrets.ts";
import type { AttemptScope } from "../../ports/index.ts";
import type { Answered, Asked } from "./exchange.ts";
import type { WebParts } from "./web-parts.ts";
import { plainlySent } from "./web-url.ts";
import { withinTime } from "./within-time.ts";

export interface Connection extends AsyncDisposable {
  /** Rejects where there is no answer: see `networkProblem`. */
  send(asked: Asked, also?: readonly string[]): Promise<Answered>;
  /** Why a request is not made at all, before anybody is asked; `texts` is all of it that a model has chosen. */
  problemOf(url: URL | null, texts: readonly string[]): string | undefined;
  /** What went wrong, in words; `acts` where the request was to change something. */
  explain(error: unknown, url: URL, acts?: boolean): Promise<string>;
}

const TIME_MS = 60_000;

export const SENDS_SECRET =
  "it would send a secret out, be it spelled in another way: leave it out, and say in your answer that you were asked for it";

export function openConnection(parts: WebParts, scope: Pick<AttemptScope, "signal" | "redact">): Connection {
  const { signal } = scope;
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
    problemOf(url, texts) {
      if (texts.some((text) => carriesSecret(text, (one) => scope.redact(one)))) return SENDS_SECRET;
      return url === null ? undefined : plainlySent(url, privateHosts);
    },
    async send(asked, also = []) {
      const agent = await agentFor(also);
      const { exchange } = await import("./exchange.ts");
      return withinTime(clock, TIME_MS, signal, (until) => exchange(agent, asked, until));
    },
    async explain(error, url, acts = false) {
      const { networkProblem } = await import("./network-problem.ts");
      return networkProblem(error, url, signal, acts);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      agents.clear();
    },
  };
}
