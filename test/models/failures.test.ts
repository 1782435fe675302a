import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { ModelErrorKind } from "../../src/ports/index.ts";
import { openModels } from "../../src/models/index.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { ask, KEY, LINES, openLine, read, turn } from "./lines.ts";
import { callTool, say, startWireServer, type WireReply } from "./wire/index.ts";

const NOTHING_SPENT = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

const REFUSALS: readonly (readonly [string, WireReply, ModelErrorKind])[] = [
  ["a wrong key", { failure: "auth" }, "auth"],
  ["a key without the right", { failure: "forbidden" }, "auth"],
  ["too many requests", { failure: "rate-limited" }, "rate_limited"],
  ["an error of the server", { failure: "server-error" }, "unavailable"],
  ["an overloaded provider", { failure: "overloaded" }, "unavailable"],
  ["a window that is full", { failure: "overflow" }, "too-long"],
  ["a request that is too large", { status: 413, body: "Request Entity Too Large" }, "too-long"],
  ["a model that is not there", { failure: "not-found" }, "other"],
  ["a request that makes no sense", { failure: "bad-request" }, "other"],
  ["a gateway's page", { status: 502, body: "<html>Bad Gateway</html>" }, "unavailable"],
  ["an account that has not paid", { status: 402, body: "{}" }, "auth"],
];

describe.each(LINES)("$provider", (line) => {
  test.each(REFUSALS)("answers %s with an error that cost nothing, and does not try again", async (_, reply, kind) => {
    await using open = await openLine(line, [reply, say("never asked for")]);
    const { last, parts } = await turn(open.model, ask("hi"));
    expect(last).toMatchObject({ type: "error", kind, usage: NOTHING_SPENT });
    expect(parts).toHaveLength(1);
    expect(open.server.requests).toHaveLength(1);
  });

  test("passes on how long to wait, in seconds or until a date", async () => {
    const clock = fakeClock(Date.parse("2026-11-15T10:00:00Z"));
    const script: WireReply[] = [
      { failure: "rate-limited", retryAfter: "17" },
      { failure: "overloaded", retryAfter: "Sun, 15 Nov 2026 10:02:00 GMT" },
      { failure: "rate-limited", retryAfter: "soon" },
    ];
    await using open = await openLine(line, script, { clock });
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ retryAfterMs: 17_000 });
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ retryAfterMs: 120_000 });
    expect((await turn(open.model, ask("hi"))).last).not.toHaveProperty("retryAfterMs");
  });

  test.each(["socket", "politely"] as const)(
    "takes an answer that is cut (%s) for a failure of unknown cost",
    async (cut) => {
      await using open = await openLine(line, [{ parts: [{ text: "Hello there" }], cut }]);
      const { last, text } = await turn(open.model, ask("hi"));
      expect(last).toMatchObject({ type: "error", kind: "unavailable", usage: null });
      expect(last).toHaveProperty("message", expect.stringMatching(/ended (?:before|without)|terminated/));
      expect("Hello there".startsWith(text)).toBe(true);
    },
  );

  test("gives no call whose input was cut", async () => {
    await using open = await openLine(line, [
      { parts: [{ text: "I" }, callTool("look", { at: "a" })], cut: "politely" },
    ]);
    const { last, calls } = await turn(open.model, ask("hi"));
    expect(last.type).toBe("error");
    expect(calls).toEqual([]);
  });

  test("takes a stream without anything in it for a failure", async () => {
    await using open = await openLine(line, [{ nothing: true }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", kind: "unavailable", usage: null });
  });

  test("hears an error that comes in the middle of an answer", async () => {
    await using open = await openLine(line, [{ parts: [{ text: "Hello there" }], overloaded: true }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", kind: "unavailable", usage: null });
  });

  test("takes what is no event for a failure", async () => {
    const headers = { "content-type": "text/event-stream" };
    await using open = await openLine(line, [{ status: 200, headers, body: "data: {not json\n\n" }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", usage: null });
  });

  test("says that nobody is there, which cost nothing", async () => {
    const gone = await startWireServer(line.format, []);
    await gone.close();
    const models = openModels({ env: line.env(gone.url), settings: line.settings?.(gone.url), clock: fakeClock() });
    const { last } = await turn(await models.open(line.model), ask("hi"));
    expect(last).toMatchObject({ type: "error", kind: "unavailable", usage: NOTHING_SPENT });
  });

  test("never repeats the key, also where the provider does", async () => {
    await using open = await openLine(line, [{ failure: "auth", message: `the key ${KEY} is wrong` }]);
    const { parts } = await turn(open.model, ask("hi"));
    expect(JSON.stringify(parts)).not.toContain(KEY);
    expect(JSON.stringify(parts)).toContain("is wrong");
  });

  test("follows no redirect: the key stays where it was meant to go", async () => {
    const elsewhere = await startWireServer(line.format, [say("caught")]);
    await using open = await openLine(line, (request) => ({
      status: 307,
      headers: { location: `${elsewhere.url}${request.path}` },
      body: "",
    }));
    const { last } = await turn(open.model, ask("hi"));
    expect(last).toMatchObject({ type: "error", kind: "other" });
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  test("stops at once when it is told to, and says that the cost is unknown", async () => {
    const gate = Promise.withResolvers<void>();
    await using open = await openLine(line, [{ parts: [{ text: "Hello there" }], hold: gate.promise }]);
    const stop = new AbortController();
    const parts = open.model.stream(ask("hi"), stop.signal);
    const seen = await read(
      (async function* () {
        for await (const part of parts) {
          yield part;
          stop.abort();
        }
      })(),
    );
    expect(seen.last).toMatchObject({ type: "error", kind: "aborted", usage: null });
    gate.resolve();
  });

  test("stops, or falls silent, also before anything was answered", async () => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const clock = fakeClock();
    const script = async () => {
      asked.resolve();
      await gate.promise;
      return say("late");
    };
    await using open = await openLine(line, script, { clock, bounds: { idleMs: 5000 } });
    const stop = new AbortController();
    const stopped = read(open.model.stream(ask("hi"), stop.signal));
    await asked.promise;
    stop.abort();
    expect((await stopped).last).toMatchObject({ kind: "aborted", usage: null });
    const silent = turn(open.model, ask("hi"));
    await expect.poll(() => open.server.requests.length).toBe(2);
    await clock.advance(5000);
    expect((await silent).last).toMatchObject({ kind: "unavailable", message: "nothing came for 5 s", usage: null });
    gate.resolve();
  });

  test("asks for nothing when it was stopped before", async () => {
    await using open = await openLine(line, [say("never")]);
    const { last } = await read(open.model.stream(ask("hi"), AbortSignal.abort()));
    expect(last).toMatchObject({ type: "error", kind: "aborted", usage: NOTHING_SPENT });
    expect(open.server.requests).toEqual([]);
  });

  test("gives the connection up when its reader leaves", async () => {
    const gate = Promise.withResolvers<void>();
    await using open = await openLine(line, [{ parts: [{ text: "Hello there" }], hold: gate.promise }]);
    for await (const part of open.model.stream(ask("hi"), new AbortController().signal)) {
      expect(part.type).toBe("text-delta");
      break;
    }
    await expect.poll(() => open.server.abandoned).toBe(1);
    gate.resolve();
  });

  test("leaves a slow provider its time, and no clock running afterwards", async () => {
    const [first, last] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const clock = fakeClock();
    const slow = { parts: [{ text: "Hello there" }], hold: first.promise, holdEnd: last.promise };
    await using open = await openLine(line, [slow], { clock, bounds: { idleMs: 30_000 } });
    const parts = open.model.stream(ask("hi"), new AbortController().signal)[Symbol.asyncIterator]();
    await parts.next();
    await clock.advance(20_000);
    first.resolve();
    await parts.next();
    await clock.advance(20_000);
    last.resolve();
    expect((await read({ [Symbol.asyncIterator]: () => parts })).last).toMatchObject({ type: "end", stop: "end" });
    await clock.settle();
    expect(clock.sleepers).toBe(0);
  });

  test("leaves nothing at the signal of whoever asked, who may ask a thousand times with it", async () => {
    await using open = await openLine(line, [say("one"), { failure: "auth" }]);
    const { signal } = new AbortController();
    for (const type of ["end", "error"]) {
      expect((await read(open.model.stream(ask("hi"), signal))).last.type).toBe(type);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });

  test("gives up on a provider that falls silent", async () => {
    const gate = Promise.withResolvers<void>();
    const clock = fakeClock();
    const bounds = { idleMs: 30_000 };
    await using open = await openLine(line, [{ parts: [{ text: "Hello there" }], hold: gate.promise }], {
      clock,
      bounds,
    });
    const parts = open.model.stream(ask("hi"), new AbortController().signal)[Symbol.asyncIterator]();
    await parts.next();
    const rest = read({ [Symbol.asyncIterator]: () => parts });
    await clock.advance(29_000);
    expect(open.server.abandoned).toBe(0);
    await clock.advance(31_000);
    expect((await rest).last).toMatchObject({
      type: "error",
      kind: "unavailable",
      message: "nothing came for 30 s",
      usage: null,
    });
    gate.resolve();
  });

  test("stops a text, a call and an answer that grow beyond their bounds", async () => {
    const text = "0123456789".repeat(10);
    const parts = [callTool("look", { at: text })];
    const bounds = { textChars: 99, toolInputChars: 99 };
    await using open = await openLine(line, [say(text), { parts }], { bounds });
    for (const what of ["text", "call"]) {
      expect((await turn(open.model, ask("hi"))).last).toEqual({
        type: "error",
        kind: "other",
        message: `the model wrote a ${what} of more than 99 characters; it was stopped`,
        usage: null,
      });
    }
    await using small = await openLine(line, [say("0123456789".repeat(1000))], { bounds: { responseBytes: 2000 } });
    expect((await turn(small.model, ask("hi"))).last).toMatchObject({
      kind: "unavailable",
      message: "the answer is larger than 2000 bytes",
      usage: null,
    });
  });
});
