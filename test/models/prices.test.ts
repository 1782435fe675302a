import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelUsage } from "../../src/ports/index.ts";
import { type ModelSettingsInput, openModels } from "../../src/models/index.ts";
import { isExact } from "../../src/models/listed-price.ts";
import { fakeClock } from "../../src/testing/index.ts";

const TODAY = Date.parse("2026-11-15T00:00:00Z");

const usage = (counts: Partial<ModelUsage>): ModelUsage => ({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  ...counts,
});

const facts = (name: string, settings: ModelSettingsInput = {}, now = TODAY) =>
  openModels({ env: {}, settings, clock: fakeClock(now) }).facts(name);

describe("prices", () => {
  test("are whole millionths of a dollar, with the cache at its own price", async () => {
    const model = await facts("anthropic/claude-sonnet-5");
    // 12 fresh at 2, 400 read at 0.2, 30 written at 2.5, 50 of output at 10 dollars per million.
    const spent = usage({ inputTokens: 442, cacheReadTokens: 400, cacheWriteTokens: 30, outputTokens: 50 });
    expect(model.priceOf(spent)).toEqual({ microUsd: 679, tokens: 492 });
    expect(model.priceOf(usage({}))).toEqual({ microUsd: 0, tokens: 0 });
  });

  test("are not rounded up by the noise of floating point, nor upset by counts that do not add up", async () => {
    const model = await facts("anthropic/claude-sonnet-5");
    expect(model.priceOf(usage({ inputTokens: 123 }))?.microUsd).toBe(246);
    expect(model.priceOf(usage({ inputTokens: 10, cacheReadTokens: 400 }))?.microUsd).toBe(80);
  });

  test("rise with their tiers", async () => {
    const model = await facts("google/gemini-2.5-pro");
    expect(model.priceOf(usage({ inputTokens: 100_000, outputTokens: 1000 }))?.microUsd).toBe(135_000);
    expect(model.priceOf(usage({ inputTokens: 300_000, outputTokens: 1000 }))?.microUsd).toBe(765_000);
  });

  test("change on their day", async () => {
    const spent = usage({ inputTokens: 1_000_000 });
    expect((await facts("flash")).priceOf(spent)?.microUsd).toBe(750_000);
    expect((await facts("flash", {}, Date.parse("2027-02-01"))).priceOf(spent)?.microUsd).toBe(1_500_000);
  });

  test.each([
    "anthropic/claude-sonnet-5-20260801",
    "anthropic/claude-haiku-4-5-20251001",
    "openai/gpt-5.6",
    "openai-chat/o3",
  ])("are known of %s", async (name) => {
    expect((await facts(name)).priceOf(usage({ inputTokens: 1000 }))?.microUsd).toBeGreaterThan(0);
  });

  test.each([
    "anthropic/claude-sonnet-5-5",
    "anthropic/claude-haiku-5-5",
    "anthropic/claude-none",
    "openai/claude-sonnet-5",
    "google/gemini-3.1-pro",
    "openai/gpt-99",
    "google/gemma-3",
    "openai/text-embedding-3-large",
  ])("are unknown of %s, and then nothing is guessed", async (name) => {
    expect((await facts(name)).priceOf(usage({ inputTokens: 1000 }))).toBeNull();
  });

  test("are unknown of an endpoint that nobody lists, and known of one that is listed by its address", async () => {
    const providers = {
      mine: { base_url: "http://127.0.0.1:9" },
      groq: { base_url: "https://api.groq.com/openai/v1" },
    };
    expect((await facts("mine/llama-3.3-70b-versatile", { providers })).priceOf(usage({ inputTokens: 9 }))).toBeNull();
    const groq = await facts("groq/llama-3.3-70b-versatile", { providers });
    expect(groq.priceOf(usage({ inputTokens: 1000 }))?.microUsd).toBeGreaterThan(0);
  });

  test("of the user's own outrank the data, under any name of the model", async () => {
    const prices = { sonnet: { input: 1, output: 2, cache_read: 0.5 } };
    const model = await facts("claude-sonnet-5", { prices });
    const spent = usage({ inputTokens: 1000, cacheReadTokens: 400, cacheWriteTokens: 100, outputTokens: 100 });
    expect(model.priceOf(spent)).toEqual({ microUsd: 500 + 200 + 100 + 200, tokens: 1100 });
    const free = { prices: { "anthropic/claude-none": { input: 0, output: 0 } } };
    expect((await facts("anthropic/claude-none", free)).priceOf(spent)).toEqual({ microUsd: 0, tokens: 1100 });
  });

  test("of every alias are known, and so is its window", async () => {
    const { aliases } = openModels({ env: {}, clock: fakeClock(TODAY) });
    for (const name of Object.keys(aliases)) {
      const model = await facts(name);
      const price = model.priceOf(usage({ inputTokens: 1000, outputTokens: 1000 }));
      expect({ name, isKnown: price !== null && price.microUsd > 0 }).toEqual({ name, isKnown: true });
      expect(model.contextTokens).toBeGreaterThanOrEqual(200_000);
    }
  });

  test("are integers that never fall when more is used, and cached input is never dearer than counted", async () => {
    const model = await facts("opus");
    const count = fc.nat(400_000);
    fc.assert(
      fc.property(count, count, count, count, (fresh, read, written, output) => {
        const inputTokens = fresh + read + written;
        const spent = usage({ inputTokens, cacheReadTokens: read, cacheWriteTokens: written, outputTokens: output });
        const price = model.priceOf(spent)?.microUsd ?? -1;
        const more = model.priceOf({ ...spent, outputTokens: output + 1 })?.microUsd ?? -1;
        const bound =
          model.priceOf(usage({ inputTokens, cacheWriteTokens: inputTokens, outputTokens: output }))?.microUsd ?? -1;
        expect(Number.isInteger(price) && price >= 0 && more >= price && bound >= price).toBe(true);
      }),
    );
  });
});

describe("a name in the data", () => {
  test.each([
    [{ starts_with: "m-1" }, "m-1", true],
    [{ starts_with: "m-1" }, "m-1-20260101", true],
    [{ starts_with: "m-1" }, "m-1@20260101", true],
    [{ starts_with: "m-1" }, "m-1-2026-01-01", true],
    [{ starts_with: "m-1" }, "m-1-latest", true],
    [{ starts_with: "m-1" }, "m-1-5", false],
    [{ starts_with: "m-1" }, "m-1.5", false],
    [{ starts_with: "m-1" }, "m-1-mini", false],
    [{ contains: "m-1" }, "m-1", false],
    [{ regex: "^m-\\d$" }, "m-7", true],
    [{ regex: "m-\\d" }, "m-7", false],
    [{ or: [{ equals: "x" }, { equals: "m-1" }] }, "m-1", true],
    [{ and: [{ starts_with: "m-1" }, { regex: "^(?!.*tts)" }] }, "m-1", true],
  ])("%j means %s: %s", (match, model, means) => {
    expect(isExact(match, model)).toBe(means);
  });
});

describe("windows and output", () => {
  test("come from the user, from the data, or from a default", async () => {
    const limits = { sonnet: { context_tokens: 50_000, max_output_tokens: 1000 } };
    expect(await facts("sonnet", { limits })).toMatchObject({ contextTokens: 50_000, maxOutputTokens: 1000 });
    expect(await facts("sonnet")).toMatchObject({ contextTokens: 1_000_000, maxOutputTokens: 32_000 });
    expect(await facts("anthropic/claude-none")).toMatchObject({ contextTokens: 200_000, maxOutputTokens: 32_000 });
    const providers = { local: { base_url: "http://127.0.0.1:9" } };
    expect(await facts("local/x", { providers })).toMatchObject({ contextTokens: 128_000, maxOutputTokens: 8192 });
  });

  test("the default for the output leaves room in a small window", async () => {
    const limits = { sonnet: { context_tokens: 8000 } };
    expect(await facts("sonnet", { limits })).toMatchObject({ contextTokens: 8000, maxOutputTokens: 4000 });
  });
});
