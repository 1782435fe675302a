import { describe, expect, test } from "vitest";
import { failure } from "../../src/models/failure.ts";
import { retryAfterMs } from "../../src/models/retry-after.ts";

const NOW = Date.parse("2026-11-15T10:00:00Z");
const kindOf = (error: unknown, status?: number) => failure(error, { status, now: NOW, key: undefined }).kind;

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
    expect(failure(error, { status: 200, now: NOW, key: undefined })).toMatchObject({ kind, usage: null });
  });
});

test("a broken connection is told with its cause, and a long message is cut", () => {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  const broken = failure(new TypeError("terminated", { cause }), { status: 200, now: NOW, key: undefined });
  expect(broken).toMatchObject({ kind: "unavailable", message: "terminated: other side closed" });
  const long = failure(new Error("x".repeat(10_000)), { status: 200, now: NOW, key: undefined });
  expect(long.message.length).toBeLessThan(600);
});

test("a chain of causes that bites its own tail ends", () => {
  const error = new Error("round");
  error.cause = error;
  expect(failure(error, { status: undefined, now: NOW, key: undefined }).message).toBe("round");
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
