import { describe, expect, test } from "vitest";
import { failure } from "../../src/models/failure.ts";
import { retryAfterMs } from "../../src/models/retry-after.ts";

const NOW = Date.parse("2026-11-15T10:00:00Z");
const KEY = { variable: "ANTHROPIC_API_KEY", value: "key-0123456789" };
const HERE = { now: NOW, model: "anthropic/claude-x", key: KEY };
const kindOf = (error: unknown, status?: number) => failure(error, { ...HERE, status }).kind;

describe("a window that is full, in everybody's words", () => {
  test.each([
    "prompt is too long: 215386 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    "Your input exceeds the context window of this model.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "the request exceeds the available context size, try increasing it",
    "Please reduce the length of the messages or completion.",
    "Trying to keep the first 9000 tokens when context the overflows. greater than the context length",
  ])("%s", (message) => {
    expect(kindOf({ message, statusCode: 400 }, 400)).toBe("too-long");
  });

  test("is known by its code, too", () => {
    expect(kindOf({ message: "no", code: "context_length_exceeded" }, 200)).toBe("too-long");
    expect(kindOf({ message: "no", statusCode: 413 }, 413)).toBe("too-long");
  });
});

describe("errors within a stream", () => {
  test.each([
    [{ message: "slow down", type: "rate_limit_error" }, "rate_limited"],
    [{ message: "busy", type: "overloaded_error" }, "unavailable"],
    [{ message: "busy", code: 503 }, "unavailable"],
    [{ message: "busy", code: "529" }, "unavailable"],
    [{ message: "no", type: "authentication_error" }, "auth"],
    [{ message: "used up", status: "RESOURCE_EXHAUSTED" }, "rate_limited"],
    [{ message: "what", type: "invalid_request_error" }, "other"],
    ["plain words", "other"],
    [undefined, "other"],
    [null, "other"],
  ])("%j is %s, and its cost is unknown", (error, kind) => {
    expect(failure(error, { ...HERE, status: 200 })).toMatchObject({ kind, usage: null });
  });
});

test("a broken connection is told with its cause, and a long message is cut", () => {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  const broken = failure(new TypeError("terminated", { cause }), { ...HERE, status: 200 });
  expect(broken).toMatchObject({ kind: "unavailable", message: "terminated: other side closed" });
  const long = failure(new Error("x".repeat(10_000)), { ...HERE, status: 200 });
  expect(long.message.length).toBeLessThan(600);
});

test("what caused it is told once, also where the error repeats it", () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" });
  const error = new Error("Cannot connect to API: connect ECONNREFUSED 127.0.0.1:9", { cause });
  expect(failure(error, { ...HERE, status: undefined }).message).toBe(error.message);
});

describe("a refusal is told with what to do", () => {
  test.each([
    [401, KEY, "no (status 401). See whether ANTHROPIC_API_KEY holds a key that is valid there."],
    [403, KEY, "no (status 403). See whether the key in ANTHROPIC_API_KEY may use anthropic/claude-x."],
    [404, KEY, "no (status 404). See whether anthropic/claude-x is known there, or name another model: --model"],
    [402, KEY, "no (status 402)"],
    [400, KEY, "no (status 400)"],
    [
      401,
      undefined,
      "no (status 401). It may want a key: name the variable that holds it in models.providers.anthropic.key",
    ],
  ])("%s", (status, key, message) => {
    expect(failure({ message: "no", statusCode: status }, { ...HERE, key, status }).message).toBe(message);
  });

  test("also where it comes in a stream, and where the reason fills the message", () => {
    const inStream = failure({ message: "No.", type: "authentication_error" }, { ...HERE, status: 200 });
    expect(inStream.message).toBe("No. See whether ANTHROPIC_API_KEY holds a key that is valid there.");
    const long = failure({ message: "x".repeat(10_000), statusCode: 401 }, { ...HERE, status: 401 });
    expect(long.message).toMatch(/x…\. See whether ANTHROPIC_API_KEY /);
  });
});

test("a chain of causes that bites its own tail ends", () => {
  const error = new Error("round");
  error.cause = error;
  expect(failure(error, { ...HERE, status: undefined }).message).toBe("round");
});

describe("how long to wait", () => {
  const RETRY_INFO = JSON.stringify({ error: { details: [{ a: 1 }, { "@type": "RetryInfo", retryDelay: "17.5s" }] } });
  test.each([
    [{ "retry-after": "3" }, undefined, 3000],
    [{ "retry-after": "0.5" }, undefined, 500],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, undefined, 1500],
    [{ "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT" }, undefined, 30_000],
    [{ "retry-after": "Sun, 15 Nov 2026 09:00:00 GMT" }, undefined, 0],
    [{ "retry-after": "99999999" }, undefined, 86_400_000],
    [{ "retry-after": "-5" }, undefined, undefined],
    [{ "retry-after": "soon" }, undefined, undefined],
    [{}, RETRY_INFO, 17_500],
    [{}, '{"error": {"retryDelay": 5', undefined],
    [{}, undefined, undefined],
  ])("%j %s is %s", (headers, body, wait) => {
    expect(retryAfterMs(headers, body, NOW)).toBe(wait);
  });
});
