// Requests to the one address that a person has agreed to: nowhere else, bounded, and by the same guard as the web
// tools, so that a name cannot lead to this machine or its network.
import { lookup } from "node:dns/promises";
import { type Agent, fetch as send, type Response as Answer } from "undici";
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

export function guardedFetch(wish: FetchWish): GuardedFetch {
  const { url } = wish;
  const agent = agentFor(wish);
  return {
    async fetch(target, init = {}) {
      const to = new URL(target);
      if (to.origin !== url.origin) throw new ServerFault(`it leads to ${to.origin}, which nobody has agreed to`);
      return responseOf(await request(to, init, agent), MAX_BYTES);
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy();
    },
  };
}

export function agentFor({ url, privateHosts, resolve, silenceMs }: FetchWish): Agent {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return guardedAgent({
    // Written out as this machine, and seen by a person: a name that merely leads here is refused.
    privateHosts: isLoopback(url.hostname) ? [...privateHosts, host] : privateHosts,
    resolve: resolve ?? ((name) => lookup(name, { all: true })),
    answerMs: silenceMs,
  });
}

/** Never to where it is sent on. */
export function request(to: URL, init: RequestInit, agent: Agent): Promise<Answer> {
  const { method = "GET", body, signal } = init;
  return send(to, {
    method,
    headers: [...new Headers(init.headers)],
    body: typeof body === "string" ? body : body instanceof URLSearchParams ? body.toString() : null,
    signal: signal ?? null,
    redirect: "manual",
    dispatcher: agent,
  });
}

export function responseOf(answer: Answer, maxBytes: number): Response {
  const { status, statusText } = answer;
  const headers = new Headers([...answer.headers]);
  headers.delete("content-encoding"); // it is unpacked by now
  const isEmpty = status === 204 || status === 205 || status === 304 || answer.body === null;
  return new Response(isEmpty ? null : bounded(answer.body, maxBytes), { status, statusText, headers });
}

function bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array> {
  async function* some(): AsyncGenerator<Uint8Array> {
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      if (length > maxBytes) throw new ServerFault(`it sent an answer of more than ${maxBytes} bytes`);
      yield chunk;
    }
  }
  return ReadableStream.from(some());
}
