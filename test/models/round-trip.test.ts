import { describe, expect, test } from "vitest";
import type { Json } from "../../src/schema/index.ts";
import type { ModelMessage } from "../../src/ports/index.ts";
import { ask, type Line, LINES, openLine, type Turn, turn } from "./lines.ts";
import { callTool, say, type WireAnswer } from "./wire/index.ts";

const lineOf = (provider: string): Line => {
  const line = LINES.find((one) => one.provider === provider);
  if (line === undefined) throw new Error(`no line to ${provider}`);
  return line;
};

const THOUGHTFUL: WireAnswer = {
  parts: [
    { reasoning: "Where to look?", signature: "SIGNED-1" },
    { text: "I look." },
    { reasoning: "And there too.", signature: "SIGNED-2" },
    callTool("look", { at: "a" }, "c1"),
    callTool("look", { at: "b" }, "c2"),
  ],
};

/** The turn as the loop has it after it was stored and read again. */
const stored = ({ text, calls, last }: Turn): ModelMessage => {
  if (last.type !== "end") throw new Error(`the turn failed: ${JSON.stringify(last)}`);
  const message = { role: "assistant", text, calls, ...(last.opaque === undefined ? {} : { opaque: last.opaque }) };
  return JSON.parse(JSON.stringify(message)) as ModelMessage;
};

const after = (message: ModelMessage): readonly ModelMessage[] => [
  { role: "user", text: "hi" },
  message,
  { role: "tool", call: "c1", text: "blue", isError: false },
  { role: "tool", call: "c2", text: "red", isError: false },
];

/** What goes over the wire on the turn after a thoughtful one. */
async function secondRequest(line: Line, change: (message: ModelMessage) => ModelMessage = (message) => message) {
  await using open = await openLine(line, [THOUGHTFUL, say("done")]);
  const first = await turn(open.model, ask("hi"));
  const messages = after(change(stored(first)));
  const second = await turn(open.model, ask("", { messages }));
  expect(second.last.type).toBe("end");
  return { first, second, body: open.server.requests[1]?.body, said: open.server.requests[1]?.said };
}

describe("what a provider wants back, after it was stored as JSON", () => {
  test("Anthropic gets its thoughts back with their signatures, where they were", async () => {
    const { first, body } = await secondRequest(lineOf("anthropic"));
    expect(first.reasoning).toBe("Where to look?And there too.");
    expect((body as { messages: { content: Json }[] }).messages[1]?.content).toMatchObject([
      { type: "thinking", thinking: "Where to look?", signature: "SIGNED-1" },
      { type: "text", text: "I look." },
      { type: "thinking", thinking: "And there too.", signature: "SIGNED-2" },
      { type: "tool_use", id: "c1", input: { at: "a" } },
      { type: "tool_use", id: "c2", input: { at: "b" } },
    ]);
  });

  test.each([{ thought: [] }, { thought: [{ reasoning: "Where to look?", signature: "SIGNED-1" }] }])(
    "Anthropic is not sent a text of nothing but white space, which it refuses: $thought",
    async ({ thought }) => {
      const blank = { parts: [...thought, { text: "\n\n" }, callTool("look", { at: "a" }, "c1")] };
      await using open = await openLine(lineOf("anthropic"), [blank, say("done")]);
      const first = stored(await turn(open.model, ask("hi")));
      expect(first.text).toBe("\n\n");
      const messages: ModelMessage[] = [
        { role: "user", text: "hi" },
        first,
        { role: "tool", call: "c1", text: "blue", isError: false },
      ];
      await turn(open.model, ask("", { messages }));
      const body = open.server.requests[1]?.body as { messages: { content: { type: string }[] }[] } | undefined;
      const reply = body?.messages[1];
      expect(reply?.content.map(({ type }) => type)).toEqual([...thought.map(() => "thinking"), "tool_use"]);
    },
  );

  test("OpenAI keeps nothing itself and gets its encrypted reasoning back, where it was", async () => {
    const { body } = await secondRequest(lineOf("openai"));
    expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect((body as { input: Json[] }).input.slice(1, 6)).toMatchObject([
      { type: "reasoning", id: "rs_0_0", encrypted_content: "SIGNED-1" },
      { role: "assistant", content: "I look." },
      { type: "reasoning", id: "rs_0_2", encrypted_content: "SIGNED-2" },
      { type: "function_call", call_id: "c1" },
      { type: "function_call", call_id: "c2" },
    ]);
  });

  test("Google gets its thought signatures back on the parts that bore them", async () => {
    const { first, body } = await secondRequest(lineOf("google"));
    expect(first.reasoning).toBe("Where to look?And there too.");
    const contents = (body as { contents: { parts: Json[] }[] }).contents;
    const parts = contents[1]?.parts;
    // It wants as many results in the next turn as there were calls.
    expect(contents[2]?.parts).toHaveLength(2);
    expect(parts).toContainEqual({ text: "I look.", thoughtSignature: "SIGNED-1" });
    expect(parts).toContainEqual(
      expect.objectContaining({
        functionCall: expect.objectContaining({ name: "look", args: { at: "a" } }) as unknown,
        thoughtSignature: "SIGNED-2",
      }),
    );
  });

  test("an endpoint of the user's gets its reasoning back as text", async () => {
    const { first, body } = await secondRequest(lineOf("local"));
    expect(first.reasoning).toBe("Where to look?And there too.");
    expect((body as { messages: { reasoning_content?: string }[] }).messages[1]?.reasoning_content).toContain(
      "Where to look?",
    );
  });
});

describe.each(LINES)("the answer of $provider, sent back", (line) => {
  const expected = {
    texts: [
      { role: "user", text: "hi" },
      { role: "assistant", text: "I look." },
    ],
    calls: [
      { name: "look", input: { at: "a" } },
      { name: "look", input: { at: "b" } },
    ],
    results: [
      { text: "blue", isError: false },
      { text: "red", isError: false },
    ],
  };

  test("is whole with what belongs to it", async () => {
    expect((await secondRequest(line)).said).toMatchObject(expected);
  });

  test("is whole without what belongs to it", async () => {
    const { said } = await secondRequest(line, (message) => {
      if (message.role !== "assistant") throw new Error("not an answer");
      return { role: message.role, text: message.text, calls: message.calls };
    });
    expect(said).toMatchObject(expected);
  });

  test("is whole with what belongs to another model, of which nothing is sent", async () => {
    const foreign = { model: "other/model", blocks: [{ type: "reasoning", text: "SECRET THOUGHT" }] };
    const { said, body } = await secondRequest(line, (message) => ({ ...message, opaque: foreign }) as ModelMessage);
    expect(said).toMatchObject(expected);
    expect(JSON.stringify(body)).not.toContain("SECRET THOUGHT");
  });

  test.each([null, "text", 7, [], {}, { model: "x" }])("is whole with nonsense (%j) beside it", async (opaque) => {
    const { said } = await secondRequest(line, (message) => ({ ...message, opaque }) as ModelMessage);
    expect(said).toMatchObject(expected);
  });

  test.each(["I…", "I look, with [key], for long."])("is sent in one piece when it was changed to %j", async (text) => {
    const { said } = await secondRequest(line, (message) => {
      if (message.role !== "assistant") throw new Error("not an answer");
      return { ...message, text };
    });
    expect(said?.texts).toEqual([
      { role: "user", text: "hi" },
      { role: "assistant", text },
    ]);
  });
});

test("a turn without thoughts on a plain endpoint has nothing to keep", async () => {
  await using open = await openLine(lineOf("openai-chat"), [say("ok")]);
  expect((await turn(open.model, ask("hi"))).last).not.toHaveProperty("opaque");
});
