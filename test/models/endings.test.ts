// Why a turn ended, in the providers' own words: only a whole answer is one.
import { describe, expect, test } from "vitest";
import type { ModelStop } from "../../src/ports/index.ts";
import { ask, type Line, LINES, openLine, turn } from "./lines.ts";
import { callTool, type WireAnswer } from "./wire/index.ts";

const usage = { input: 42, output: 7 };
const half = (because: string | null): WireAnswer => ({ parts: [{ text: "Half an ans" }], usage, because });
const of = (provider: string, words: readonly string[]) =>
  words.map((because) => ({ line: lineOf(provider), provider, because }));

function lineOf(name: string): Line {
  const line = LINES.find(({ provider }) => provider === name);
  if (line === undefined) throw new Error(`there is no ${name}`);
  return line;
}

const CHAT = ["error", "insufficient_system_resource", "network_error", "abort", "whatever_comes_next"];
const NO_ANSWER = [
  ...of("anthropic", ["compaction", "whatever_comes_next"]),
  ...of("openai", ["whatever_comes_next"]),
  ...of("openai-chat", CHAT),
  ...of("local", CHAT),
  ...of("google", ["OTHER", "LANGUAGE", "UNEXPECTED_TOOL_CALL", "FINISH_REASON_UNSPECIFIED", "WHATEVER_COMES_NEXT"]),
];

test.each(NO_ANSWER)("$provider: $because is no answer; another try may be, and this one is paid", async (row) => {
  await using open = await openLine(row.line, [half(row.because)]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({
    type: "error",
    kind: "unavailable",
    message: `the model gave up: ${row.because}`,
    usage: { inputTokens: 42, outputTokens: 7 },
  });
});

const BROKEN = new Set(["error", "insufficient_system_resource", "network_error", "abort"]);

test.each(NO_ANSWER.filter(({ because }) => BROKEN.has(because)))(
  "$provider: $because may have broken off a call, so none is made",
  async ({ line, because }) => {
    const parts = [{ text: "I look." }, callTool("look", { at: "a" }, "c1")];
    await using open = await openLine(line, [{ parts, usage, because }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", kind: "unavailable" });
  },
);

test.each(["PROHIBITED_CONTENT", "content_filtered"])("local: %s is a refusal", async (because) => {
  await using open = await openLine(lineOf("local"), [half(because)]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "end", stop: "refused" });
});

test.each(NO_ANSWER.filter(({ because }) => !BROKEN.has(because)))(
  "$provider: calls that came before $because are made",
  async ({ line, because }) => {
    const parts = [{ text: "I look." }, callTool("look", { at: "a" }, "c1")];
    await using open = await openLine(line, [{ parts, usage, because }]);
    const { last, calls } = await turn(open.model, ask("hi"));
    expect(last).toMatchObject({ type: "end", stop: "calls" });
    expect(calls).toEqual([{ id: "c1", tool: "look", input: { at: "a" } }]);
  },
);

const CALL_REASONS = [
  ...of("anthropic", ["tool_use"]),
  ...of("openai-chat", ["tool_calls", "function_call", "tool_use", "tool_call"]),
  ...of("local", ["tool_calls", "function_call", "tool_use", "tool_call"]),
];

test.each(CALL_REASONS)("$provider: $because without a call has lost it, and is no answer", async (row) => {
  await using open = await openLine(row.line, [half(row.because)]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({
    type: "error",
    kind: "unavailable",
    message: `the model stopped to call a tool (${row.because}), and no call came`,
    usage: { inputTokens: 42, outputTokens: 7 },
  });
});

// OpenAI's Responses say by their last event whether they are whole.
describe("openai: an answer that is incomplete, and does not say why,", () => {
  test.each([null, ""])("is no answer, and is paid (reason: %o)", async (because) => {
    await using open = await openLine(lineOf("openai"), [half(because)]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({
      type: "error",
      kind: "unavailable",
      message: "the model gave up: incomplete",
      usage: { inputTokens: 42, outputTokens: 7 },
    });
  });

  test.each([null, ""])("may have broken off a call, so none is made (reason: %o)", async (because) => {
    const parts = [{ text: "I look." }, callTool("look", { at: "a" }, "c1")];
    await using open = await openLine(lineOf("openai"), [{ parts, usage, because }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", kind: "unavailable" });
  });
});

test.each(LINES.filter(({ format }) => format !== "responses"))(
  "$provider: calls of an answer that does not say why it ended are not made",
  async (line) => {
    const parts = [{ text: "I look." }, callTool("look", { at: "a" }, "c1")];
    await using open = await openLine(line, [{ parts, usage, because: null }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", kind: "unavailable", usage: null });
  },
);

test.each(LINES.filter(({ format }) => format !== "responses"))(
  "$provider: an answer that does not say why it ended was cut",
  async (line) => {
    await using open = await openLine(line, [half(null)]);
    const { last } = await turn(open.model, ask("hi"));
    expect(last).toMatchObject({ type: "error", kind: "unavailable", usage: null });
    expect(last).toHaveProperty("message", expect.stringMatching(/ended (?:before|without)/));
  },
);

test.each(["openai-chat", "local"])("%s: a reason without a word in it is none", async (provider) => {
  await using open = await openLine(lineOf(provider), [half("")]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "error", kind: "unavailable", usage: null });
});

test("of a reason that has no end, the beginning is told", async () => {
  await using open = await openLine(lineOf("local"), [half("x".repeat(100_000))]);
  const { last } = await turn(open.model, ask("hi"));
  expect(last.type === "error" && last.message.length).toBeLessThan(200);
});

const ENDS: readonly (readonly [string, ModelStop])[] = [
  ["eos", "end"],
  ["eos_token", "end"],
  ["stop_sequence", "end"],
  ["end_turn", "end"],
  ["COMPLETE", "end"],
  ["STOP", "end"],
  ["max_tokens", "length"],
  ["MAX_TOKENS", "length"],
  ["model_length", "length"],
  ["refusal", "refused"],
  ["SAFETY", "refused"],
  ["sensitive", "refused"],
];

describe.each(["openai-chat", "local"])("%s, which many imitate in words of their own", (provider) => {
  test.each(ENDS)("%s is understood: %s", async (because, stop) => {
    await using open = await openLine(lineOf(provider), [half(because)]);
    const { last, text } = await turn(open.model, ask("hi"));
    expect(text).toBe("Half an ans");
    expect(last).toMatchObject({ type: "end", stop, usage: { inputTokens: 42, outputTokens: 7 } });
  });
});

test("anthropic: a turn that pauses is not over", async () => {
  await using open = await openLine(lineOf("anthropic"), [half("pause_turn")]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "end", stop: "length" });
});

test.each(["anthropic", "openai-chat", "local"])(
  "%s: a window that is full says so by its own reason",
  async (name) => {
    await using open = await openLine(lineOf(name), [half("model_context_window_exceeded")]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({
      type: "error",
      kind: "too-long",
      usage: { inputTokens: 42, outputTokens: 7 },
    });
  },
);
