import { getEventListeners, once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { BOUNDS, watchCall } from "../../src/models/watched-fetch.ts";
import { fakeClock } from "../../src/testing/index.ts";

/** Answers with this status, and goes on until it is left. */
async function endless(status: number) {
  const left = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.on("close", left.resolve);
    response.writeHead(status).write("begun");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    left: left.promise,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

describe("a call that is watched", () => {
  test("is stopped by its end while some of the answer is still to come", async () => {
    using server = await endless(302);
    const watch = watchCall(new AbortController().signal, fakeClock(), BOUNDS);
    await expect(watch.fetch(server.url, { signal: watch.signal })).rejects.toThrow("redirects elsewhere");
    watch.end(false);
    expect(watch.signal.aborted).toBe(true);
    await server.left;
  });

  test("ends without a word to anybody when all of the answer was read", () => {
    const { signal } = new AbortController();
    const clock = fakeClock();
    const watch = watchCall(signal, clock, BOUNDS);
    watch.end(true);
    expect(watch.signal.aborted).toBe(false);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(clock.sleepers).toBe(0);
  });
});
