import { describe, expect, test } from "vitest";
import type { Effort, ModelMessage, ModelRequest } from "../../src/ports/index.ts";
import { ask, type Line, LINES, LOOK_TOOL, openLine, turn } from "./lines.ts";
import { say } from "./wire/index.ts";

const lineOf = (provider: string, model?: string): Line => {
  const line = LINES.find((one) => one.provider === provider);
  if (line === undefined) throw new Error(`no line to ${provider}`);
  return model === undefined ? line : { ...line, model: `${provider}/${model}` };
};

async function sent(line: Line, request: Partial<ModelRequest>) {
  await using open = await openLine(line, [say("ok")]);
  const { last } = await turn(open.model, ask("hi", request));
  if (last.type !== "end") throw new Error(`the turn failed: ${JSON.stringify(last)}`);
  return { body: open.server.requests[0]?.body, headers: open.server.requests[0]?.headers, notes: last.notes };
}

describe("Anthropic's cache", () => {
  const CACHED = { type: "ephemeral" };
  const conversation: ModelMessage[] = [
    { role: "system", text: "Who you are." },
    { role: "system", text: "What to do." },
    { role: "user", text: "hi" },
    { role: "assistant", text: "I look.", calls: [{ id: "c1", tool: "look", input: { at: "a" } }] },
    { role: "tool", call: "c1", text: "blue", isError: false },
  ];

  test("is marked at the last tool, the last system message, the last message and where the last request ended", async () => {
    const tools = [{ ...LOOK_TOOL, name: "first" }, LOOK_TOOL];
    const { body } = await sent(lineOf("anthropic"), { messages: conversation, tools });
    expect(body).toMatchObject({
      tools: [{ name: "first" }, { name: "look", cache_control: CACHED }],
      system: [{ text: "Who you are." }, { text: "What to do.", cache_control: CACHED }],
      messages: [
        { role: "user", content: [{ type: "text", text: "hi", cache_control: CACHED }] },
        { role: "assistant" },
        { role: "user", content: [{ type: "tool_result", cache_control: CACHED }] },
      ],
    });
    expect(JSON.stringify(body).split("cache_control").length - 1).toBe(4);
  });

  test("is counted: what was written to it, and what was read", async () => {
    const usage = { input: 442, output: 50, cacheRead: 400, cacheWrite: 30 };
    await using open = await openLine(lineOf("anthropic"), [say("ok", usage)]);
    expect((await turn(open.model, ask("hi"))).last.usage).toMatchObject({
      inputTokens: 442,
      cacheReadTokens: 400,
      cacheWriteTokens: 30,
    });
  });

  test("is nobody else's business", async () => {
    for (const line of LINES.filter(({ provider }) => provider !== "anthropic")) {
      const { body } = await sent(line, { messages: conversation });
      expect(JSON.stringify(body)).not.toMatch(/cache_?control/i);
    }
  });
});

test.each(LINES)("$provider is sent no half of a character, wherever it stands", async (line) => {
  const half = "😀".slice(0, 1);
  const like = String.raw`\ud83d`;
  const { body } = await sent(line, {
    messages: [
      { role: "system", text: `Who you are${half}` },
      { role: "user", text: `${half}hi 😀 ${like} \\${half}` },
      { role: "assistant", text: `I look${half}`, calls: [{ id: "c1", tool: "look", input: { at: `a${half}` } }] },
      { role: "tool", call: "c1", text: `blue${half}${half}`, isError: false },
    ],
  });
  // Stringified, only halves are escaped so. What only looks like one has its backslash escaped.
  expect(JSON.stringify(body)).not.toMatch(/(?<!\\)\\ud[89a-f]/);
  const text = `\ufffdhi 😀 ${like} \\\ufffd`;
  expect(JSON.stringify(body)).toContain(JSON.stringify(text).slice(1, -1));
});

test.each(LINES)("$provider is sent a call of a tool that nobody has by a name that it takes", async (line) => {
  const names = ["multi_tool_use.parallel", "", "look at it!", "x".repeat(200)];
  const { body } = await sent(line, {
    messages: [
      { role: "user", text: "hi" },
      {
        role: "assistant",
        text: "",
        calls: names.map((tool, index) => ({ id: `c${index}`, tool, input: {}, invalid: "no such tool was offered" })),
      },
      ...names.map((_, index) => ({ role: "tool", call: `c${index}`, text: "There is none.", isError: true }) as const),
    ],
  });
  const said = JSON.stringify(body);
  expect(said).toContain('"multi_tool_use_parallel"');
  expect(said).toContain(`"${"x".repeat(64)}"`);
  for (const [, name = ""] of said.matchAll(/"name":"([^"]*)"/g)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

describe("effort", () => {
  const EFFORTS: Effort[] = ["low", "medium", "high", "xhigh", "max"];

  test.each(EFFORTS)("%s reaches a Claude model that takes it", async (effort) => {
    const { body, notes } = await sent(lineOf("anthropic"), { effort });
    expect(body).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort }, max_tokens: 4000 });
    expect(notes).toEqual([]);
  });

  test("becomes a budget within the output on a Claude model that thinks by budget", async () => {
    const { body } = await sent(lineOf("anthropic", "claude-haiku-4-5"), { effort: "high", maxOutputTokens: 10_000 });
    expect(body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 6000 }, max_tokens: 10_000 });
    expect(body).not.toHaveProperty("output_config");
  });

  test("is left out with a note where the output leaves no room to think", async () => {
    const { body, notes } = await sent(lineOf("anthropic", "claude-haiku-4-5"), {
      effort: "low",
      maxOutputTokens: 1500,
    });
    expect(body).not.toHaveProperty("thinking");
    expect(notes).toEqual(["effort: 1500 tokens of output leave no room to think; it was left out"]);
  });

  test("reaches OpenAI's reasoning models, in both of its formats, and no summary is asked for", async () => {
    const { body } = await sent(lineOf("openai"), { effort: "high" });
    expect((body as { reasoning: unknown }).reasoning).toEqual({ effort: "high" });
    const chat = await sent(lineOf("openai-chat", "gpt-5.5"), { effort: "low" });
    expect(chat.body).toMatchObject({ reasoning_effort: "low" });
  });

  test("becomes a level of thinking on Gemini, the nearest there is, with a note", async () => {
    const { body, notes } = await sent(lineOf("google"), { effort: "max" });
    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingLevel: "high" } } });
    expect(notes.join()).toContain("max");
  });

  test("becomes a budget within the output on a Gemini that thinks by budget", async () => {
    const { body } = await sent(lineOf("google", "gemini-2.5-pro"), { effort: "high", maxOutputTokens: 10_000 });
    expect(body).toMatchObject({
      generationConfig: { maxOutputTokens: 10_000, thinkingConfig: { thinkingBudget: 6000 } },
    });
  });

  test("is left out with a note on a Gemini that does not think", async () => {
    const { body, notes } = await sent(lineOf("google", "gemini-2.0-flash"), { effort: "high" });
    expect(JSON.stringify(body)).not.toContain("thinking");
    expect(notes).toEqual(["effort: gemini-2.0-flash does not think; it was left out"]);
  });

  test("reaches an endpoint of the user's", async () => {
    expect((await sent(lineOf("local"), { effort: "medium" })).body).toMatchObject({ reasoning_effort: "medium" });
  });
});

describe("temperature and top_p", () => {
  test("reach models that take them", async () => {
    const chat = await sent(lineOf("openai-chat"), { temperature: 0.2, topP: 0.9 });
    expect(chat.body).toMatchObject({ temperature: 0.2, top_p: 0.9 });
    const google = await sent(lineOf("google"), { temperature: 0.2, topP: 0.9 });
    expect(google.body).toMatchObject({ generationConfig: { temperature: 0.2, topP: 0.9 } });
    const local = await sent(lineOf("local"), { temperature: 0.2, topP: 0.9 });
    expect(local.body).toMatchObject({ temperature: 0.2, top_p: 0.9 });
  });

  test.each(["anthropic", "openai"])("are left out with a note where the model (%s) takes none", async (provider) => {
    const { body, notes } = await sent(lineOf(provider), { temperature: 0.2, topP: 0.9 });
    expect(body).not.toHaveProperty("temperature");
    expect(body).not.toHaveProperty("top_p");
    expect(notes.join("\n")).toMatch(/temperature[\s\S]*topP/);
  });
});

describe("keys", () => {
  test("Anthropic's token goes as a bearer, its key as a key", async () => {
    const line = lineOf("anthropic");
    const withToken: Line = { ...line, env: (url) => ({ ANTHROPIC_AUTH_TOKEN: "token-1", ANTHROPIC_BASE_URL: url }) };
    expect((await sent(withToken, {})).headers).toMatchObject({ authorization: "Bearer token-1" });
    expect((await sent(withToken, {})).headers).not.toHaveProperty("x-api-key");
    expect((await sent(line, {})).headers).not.toHaveProperty("authorization");
  });

  test("an endpoint that needs none is sent none", async () => {
    const free: Line = {
      ...lineOf("local"),
      env: () => ({}),
      settings: (url) => ({ providers: { local: { base_url: url } } }),
    };
    expect((await sent(free, {})).headers).not.toHaveProperty("authorization");
  });
});

test("a call that Gemini itself could not write down is a failure worth another try, and its cost is known", async () => {
  const broken = { candidates: [{ content: { parts: [], role: "model" }, finishReason: "MALFORMED_FUNCTION_CALL" }] };
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 };
  const body = `data: ${JSON.stringify({ ...broken, usageMetadata })}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  await using open = await openLine(lineOf("google"), [{ status: 200, headers, body }]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({
    type: "error",
    kind: "unavailable",
    usage: { inputTokens: 10, outputTokens: 2 },
  });
});

test("a prompt that Gemini blocks is refused", async () => {
  const body = `data: ${JSON.stringify({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 10, totalTokenCount: 10 } })}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  await using open = await openLine(lineOf("google"), [{ status: 200, headers, body }]);
  expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "end", stop: "refused" });
});
