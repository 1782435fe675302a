// Requests to the one address that a person has agreed to: nowhere else, bounded, and by the same guard as the web
// tools, so that a name cannot lead to this machine or its network.
import { lookup } from "node:dns/promises";
import { fetch as send } from "undici";
import { isLoopback } from "../../schema/mcp-server.ts";
import type { Resolve } from "../../platform/public-address.ts";
import { guardedAgent } from "../web/guarded-agent.ts";
import { ServerFault } from "./message-lines.ts";

const MAX_BYTES = 16 * 1024 * 1024;

export interface FetchWish {
  readonly url: URL;
  /** Hosts of the user's own that may lie anywhere. */
  readonly privateHosts: readonly string[];
  readonly resolve?: Resolve | undefined;
  readonly silenceMs: number;
}

export interface GuardedFetch extends AsyncDisposable {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

export function guardedFetch({ url, privateHosts, resolve, silenceMs }: FetchWish): GuardedFetch {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const agent = guardedAgent({
    // Written out as this machine, and seen by a person: a name that merely leads here is refused.
    privateHosts: isLoopback(url.hostname) ? [...privateHosts, host] : privateHosts,
    resolve: resolve ?? ((name) => lookup(name, { all: true })),
    answerMs: silenceMs,
  });
  return {
    async fetch(target, init = {}) {
      const to = new URL(target);
      if (to.origin !== url.origin) throw new ServerFault(`it leads to ${to.origin}, which nobody has agreed to`);
      const { method = "GET", body, signal } = init;
      const answer = await send(to, {
        method,
        headers: [...new Headers(init.headers)],
        body: typeof body === "string" ? body : null,
        signal: signal ?? null,
        redirect: "manual",
        dispatcher: agent,
      });
      const { status, statusText } = answer;
      const headers = new Headers([...answer.headers]);
      headers.delete("content-encoding"); // it is unpacked by now
      const isEmpty = status === 204 || status === 205 || status === 304 || answer.body === null;
      return new Response(isEmpty ? null : bounded(answer.body), { status, statusText, headers });
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}

function bounded(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  async function* some(): AsyncGenerator<Uint8Array> {
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      if (length > MAX_BYTES) throw new ServerFault(`it sent an answer of more than ${MAX_BYTES} bytes`);
      yield chunk;
    }
  }
  return ReadableStream.from(some());
}
