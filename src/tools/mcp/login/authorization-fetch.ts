// Requests for a login: to the server's authorization server and to what describes it. Where that lies is the server's
// word, so nothing is asked that is not public, and none of the server's own headers go there.
import type { Resolve } from "../../../platform/public-address.ts";
import type { Clock } from "../../../ports/index.ts";
import { isLoopback } from "../../../schema/mcp-server.ts";
import { withinTime } from "../../web/within-time.ts";
import { agentFor, type GuardedFetch, request, responseOf } from "../guarded-fetch.ts";
import { ServerFault } from "../message-lines.ts";

const MAX_BYTES = 1024 * 1024;
const MAX_REQUESTS = 40;
const THIS_MACHINE = ["localhost", "127.0.0.1", "::1"];

export interface AuthorizationWish {
  /** The MCP server's. */
  readonly url: URL;
  readonly privateHosts: readonly string[];
  readonly resolve?: Resolve | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long one answer may take. */
  readonly answerMs: number;
}

export function authorizationFetch(wish: AuthorizationWish): GuardedFetch {
  const { url, privateHosts, clock, signal, answerMs } = wish;
  const near = isLoopback(url.hostname) ? THIS_MACHINE : [];
  const agent = agentFor({ ...wish, privateHosts: [...privateHosts, ...near], silenceMs: answerMs });
  let requests = 0;
  return {
    async fetch(target, init = {}) {
      const to = safeAddress(target, url);
      requests++;
      if (requests > MAX_REQUESTS) throw new ServerFault("logging in takes too many requests");
      return withinTime(clock, answerMs, signal, async (until) => {
        const answer = responseOf(await request(to, { ...init, signal: until }, agent), MAX_BYTES);
        const { status, headers } = answer;
        const body = await answer.text(); // all of it, while somebody looks at the time
        return new Response(body === "" ? null : body, { status, headers });
      });
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}

/** https; http only on this machine, and only for a server that is there itself. */
export function safeAddress(target: string | URL, server: URL): URL {
  const to = new URL(target);
  const isNear = to.protocol === "http:" && isLoopback(to.hostname) && isLoopback(server.hostname);
  if (to.protocol !== "https:" && !isNear)
    throw new ServerFault(`to log in, it leads to ${to.protocol}//${to.host}, which is neither https nor this machine`);
  if (to.username !== "" || to.password !== "")
    throw new ServerFault(`to log in, it leads to an address with a password in it, at ${to.host}`);
  return to;
}
