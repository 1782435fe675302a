import { describe, expect, test } from "vitest";
import { toUsage } from "../../src/models/usage.ts";
import { ask, LINES, LOOK_TOOL, openLine, turn } from "./lines.ts";
import { callTool, say } from "./wire/index.ts";

describe.each(LINES)("a turn of $provider", (line) => {
  test("streams its text in pieces and ends once, with usage", async () => {
    await using open = await openLine(line, [say("Hello there", { input: 42, output: 7 })]);
    const { parts, text, last } = await turn(open.model, ask("hi"));
    expect(text).toBe("Hello there");
    expect(parts.filter(({ type }) => type === "text-delta").length).toBeGreaterThan(1);
    expect(last).toMatchObject({ type: "end", stop: "end", notes: [] });
    expect(last.usage).toEqual({
      inputTokens: 42,
      outputTokens: 7,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    });
  });

  test("counts what came from the cache and what was thought as part of the whole", async () => {
    const usage = { input: 442, output: 50, cacheRead: 400, reasoning: 12 };
    await using open = await openLine(line, [say("ok", usage)]);
    const { last } = await turn(open.model, ask("hi"));
    expect(last.usage).toEqual({
      inputTokens: 442,
      outputTokens: 50,
      cacheReadTokens: 400,
      cacheWriteTokens: 0,
      reasoningTokens: 12,
    });
  });

  test("sends the system prompt, the tools, the limit and the key", async () => {
    await using open = await openLine(line, [say("ok")]);
    const messages = [
      { role: "system", text: "Be brief." },
      { role: "user", text: "hi" },
    ] as const;
    await turn(open.model, ask("", { messages, maxOutputTokens: 1234 }));
    const [request] = open.server.requests;
    expect(request?.said).toMatchObject({
      model: line.model.split("/")[1],
      system: "Be brief.",
      texts: [{ role: "user", text: "hi" }],
      maxOutputTokens: 1234,
      key: "key-0123456789",
    });
    expect(request?.said.tools).toEqual([
      { name: "look", description: "Looks at a thing", schema: LOOK_TOOL.inputSchema },
    ]);
  });

  test("gives several calls of one turn, each when it is complete", async () => {
    const parts = [{ text: "I look." }, callTool("look", { at: "a" }, "c1"), callTool("look", { at: "b" }, "c2")];
    await using open = await openLine(line, [{ parts }]);
    const { calls, last, text } = await turn(open.model, ask("hi"));
    expect(text).toBe("I look.");
    expect(calls).toEqual([
      { id: "c1", tool: "look", input: { at: "a" } },
      { id: "c2", tool: "look", input: { at: "b" } },
    ]);
    expect(last).toMatchObject({ type: "end", stop: "calls" });
  });

  test("gives calls ids that tell them apart where the provider gives none", async () => {
    await using open = await openLine(line, [
      { parts: [callTool("look", { at: "a" }), callTool("look", { at: "b" })] },
    ]);
    const { calls } = await turn(open.model, ask("hi"));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  test("keeps what was written where a call's input is no JSON", async () => {
    await using open = await openLine(line, [{ parts: [{ call: "look", id: "c1", raw: '{"at": "a' }] }]);
    const { calls, last } = await turn(open.model, ask("hi"));
    expect(calls).toEqual([{ id: "c1", tool: "look", input: '{"at": "a', invalid: "its input is not JSON" }]);
    expect(last).toMatchObject({ type: "end", stop: "calls" });
  });

  test.each([
    ["a list", "[1]", "its input is not a JSON object"],
    ["far too deep", `{"at":${"[".repeat(200)}${"]".repeat(200)}}`, "its input is nested more than 100 deep"],
  ])("keeps what was written where a call's input is %s", async (_, raw, invalid) => {
    await using open = await openLine(line, [{ parts: [{ call: "look", id: "c1", raw }] }]);
    expect((await turn(open.model, ask("hi"))).calls).toEqual([{ id: "c1", tool: "look", input: raw, invalid }]);
  });

  test("keeps only the beginning of a long input that is no JSON", async () => {
    await using open = await openLine(line, [{ parts: [{ call: "look", id: "c1", raw: "{".repeat(100_000) }] }]);
    expect((await turn(open.model, ask("hi"))).calls[0]?.input).toHaveLength(8192);
  });

  test("tells calls apart that came with one id", async () => {
    const parts = [callTool("look", { at: "a" }, "c"), callTool("look", { at: "b" }, "c")];
    await using open = await openLine(line, [{ parts }]);
    const { calls } = await turn(open.model, ask("hi"));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(calls.map(({ input }) => input)).toEqual([{ at: "a" }, { at: "b" }]);
  });

  test("says so where a tool was called that was not offered", async () => {
    await using open = await openLine(line, [{ parts: [callTool("rm", { all: true }, "c1")] }]);
    const { calls } = await turn(open.model, ask("hi"));
    expect(calls).toEqual([{ id: "c1", tool: "rm", input: { all: true }, invalid: "no such tool was offered" }]);
  });

  test("brings results of tools back, also of a call that was invalid", async () => {
    await using open = await openLine(line, [say("done")]);
    const messages = [
      { role: "user", text: "hi" },
      {
        role: "assistant",
        text: "I look.",
        calls: [
          { id: "c1", tool: "look", input: { at: "a" } },
          { id: "c2", tool: "look", input: "{bad", invalid: "its input is not JSON" },
        ],
      },
      { role: "tool", call: "c1", text: "it is blue", isError: false },
      { role: "tool", call: "c2", text: "that was no JSON", isError: true },
    ] as const;
    const { last } = await turn(open.model, ask("", { messages }));
    expect(last.type).toBe("end");
    const [request] = open.server.requests;
    expect(request?.said.calls).toEqual([
      { name: "look", input: { at: "a" } },
      { name: "look", input: { invalid_input: "{bad" } },
    ]);
    expect(request?.said.results).toEqual([
      { text: "it is blue", isError: false },
      { text: "that was no JSON", isError: line.provider !== "local" },
    ]);
  });

  test("sends a system message that stands in the middle as the user's", async () => {
    await using open = await openLine(line, [say("ok")]);
    const messages = [
      { role: "system", text: "Be brief." },
      { role: "user", text: "hi" },
      { role: "assistant", text: "Hello", calls: [] },
      { role: "system", text: "Time is short." },
    ] as const;
    const { last } = await turn(open.model, ask("", { messages }));
    expect(last.type).toBe("end");
    expect(open.server.requests[0]?.said).toMatchObject({
      system: "Be brief.",
      texts: [
        { role: "user", text: "hi" },
        { role: "assistant", text: "Hello" },
        { role: "user", text: "Time is short." },
      ],
    });
  });

  test("says where the output was cut off, and where it was refused", async () => {
    await using open = await openLine(line, [
      { parts: [{ text: "and so" }], stop: "length" },
      { parts: [{ text: "I" }], stop: "refused" },
    ]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "end", stop: "length" });
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "end", stop: "refused" });
  });

  test("takes an empty answer for an answer", async () => {
    await using open = await openLine(line, [{ parts: [] }]);
    const { text, last } = await turn(open.model, ask("hi"));
    expect(text).toBe("");
    expect(last).toMatchObject({ type: "end", stop: "end" });
  });

  test("carries a large answer whole", async () => {
    const large = "0123456789".repeat(50_000);
    await using open = await openLine(line, [say(large)]);
    const { text } = await turn(open.model, ask("hi"));
    expect(text === large).toBe(true);
  });

  test("has a window, a default for the output, and its whole name", async () => {
    await using open = await openLine(line, []);
    expect(open.model.name).toBe(line.model);
    expect(open.model.contextTokens).toBeGreaterThanOrEqual(128_000);
    expect(open.model.maxOutputTokens).toBeGreaterThanOrEqual(8192);
  });
});

describe.each(LINES.filter(({ format }) => format !== "anthropic"))("usage of $provider", (line) => {
  test("is unknown where the provider does not say", async () => {
    await using open = await openLine(line, [{ parts: [{ text: "ok" }], usage: null }]);
    expect((await turn(open.model, ask("hi"))).last).toMatchObject({ type: "end", usage: null });
  });
});

test("what was read from the cache is part of the input, also where an endpoint counts it apart", () => {
  const reported = {
    inputTokens: { total: 10, noCache: 10, cacheRead: 400, cacheWrite: undefined },
    outputTokens: { total: 5, text: undefined, reasoning: 9 },
  };
  expect(toUsage(reported)).toEqual({
    inputTokens: 400,
    outputTokens: 9,
    cacheReadTokens: 400,
    cacheWriteTokens: 0,
    reasoningTokens: 9,
  });
});
