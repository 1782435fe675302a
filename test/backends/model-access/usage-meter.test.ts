import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { UsageMeter } from "../../../src/backends/model-access/usage-meter.ts";

const SSE = "text/event-stream; charset=utf-8";

/** One answer, in pieces of so many bytes, comes out as it went in. */
async function pass(meter: UsageMeter, text: string, type: string, size = 7): Promise<void> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  expect(await buffer(Readable.from(pieces).pipe(meter.watch(type)))).toEqual(bytes);
}

const lines = (...events: readonly object[]): string =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("");

const usage = (
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens = 0,
  cacheWriteTokens = 0,
  reasoningTokens = 0,
) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  reasoningTokens,
});

describe("the meter", () => {
  it.each<[whose: string, type: string, text: string, counted: object]>([
    [
      "Anthropic's stream",
      SSE,
      lines(
        {
          type: "message_start",
          message: {
            usage: { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 3, output_tokens: 1 },
          },
        },
        { type: "content_block_delta", delta: { text: 'how "usage" is spelled: für 🦫' } },
        { type: "message_delta", usage: { output_tokens: 42 } },
      ),
      usage(18, 42, 5, 3),
    ],
    [
      "OpenAI's stream of a response",
      SSE,
      lines(
        { type: "response.created", response: { usage: null } },
        {
          type: "response.completed",
          response: {
            usage: {
              input_tokens: 20,
              input_tokens_details: { cached_tokens: 8 },
              output_tokens: 7,
              output_tokens_details: { reasoning_tokens: 4 },
            },
          },
        },
      ),
      usage(20, 7, 8, 0, 4),
    ],
    [
      "OpenAI's completion",
      "application/json",
      JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } }),
      usage(9, 2),
    ],
    [
      "Google's stream, which counts up",
      SSE,
      lines(
        { usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 1 } },
        {
          usageMetadata: {
            promptTokenCount: 11,
            candidatesTokenCount: 6,
            thoughtsTokenCount: 2,
            cachedContentTokenCount: 4,
          },
        },
      ),
      usage(11, 8, 4, 0, 2),
    ],
    [
      "Google's list",
      "application/json",
      JSON.stringify([{}, { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } }]),
      usage(3, 1),
    ],
  ])("reads %s", async (_whose, type, text, counted) => {
    const meter = new UsageMeter();
    await pass(meter, text, type);
    expect(meter.take()).toEqual(counted);
  });

  it("adds answers up, until it is asked", async () => {
    const meter = new UsageMeter();
    const answer = lines({ type: "message_delta", usage: { output_tokens: 4 } }, { usage: { output_tokens: 5 } });
    await pass(meter, answer, SSE);
    await pass(meter, answer, SSE);
    expect(meter.take()).toEqual(usage(0, 10));
    expect(meter.take()).toBeUndefined();
  });

  it.each([
    ["no JSON", 'data: {"usage": \n\n'],
    ["no numbers", lines({ usage: { input_tokens: "many", output_tokens: -1 } })],
    ["nothing", ""],
  ])("makes nothing of %s", async (_what, text) => {
    const meter = new UsageMeter();
    await pass(meter, text, SSE);
    expect(meter.take() ?? usage(0, 0)).toEqual(usage(0, 0));
  });

  it("holds no line without end", async () => {
    const meter = new UsageMeter();
    await pass(
      meter,
      `data: ${"x".repeat(3 * 1024 * 1024)}\n${lines({ usage: { output_tokens: 5 } })}`,
      SSE,
      64 * 1024,
    );
    expect(meter.take()).toEqual(usage(0, 5));
  });
});
