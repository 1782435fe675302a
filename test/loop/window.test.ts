// What is put before a model has to fit its window, and what the agent goes by stays in it.
import { describe, expect, test } from "vitest";
import type { ModelRequest } from "../../src/ports/index.ts";
import type { TaskEvent } from "../../src/schema/index.ts";
import { Conversation } from "../../src/loop/conversation.ts";
import { type ReplyScript, type ScriptedReply, scriptedModel } from "../../src/testing/index.ts";
import { factsOf, fakeTool, startLoop, toolTexts } from "./kit.ts";

const WINDOW = 32_000;
const read = () => fakeTool("Read", () => ({ ok: true, text: "x".repeat(30_000) }));
const reads = (count: number): ScriptedReply => ({
  calls: Array.from({ length: count }, () => ({ tool: "Read", input: {} })),
});
const tooLong = { error: { kind: "too-long", message: "prompt is too long" } } as const;
const isSummary = ({ messages }: ModelRequest) => messages[0]?.text.startsWith("You sum up") === true;
const charsOf = ({ messages }: ModelRequest) => messages.reduce((sum, { text }) => sum + text.length, 0);
const textsOf = (request: ModelRequest | undefined) => request?.messages.map(({ text }) => text).join("\n") ?? "";

describe("one turn of large results", () => {
  test("is shortened before it is sent, the largest first, and says where the whole is", async () => {
    const sized = fakeTool("Read", (input) => ({ ok: true, text: "x".repeat((input as { n: number }).n) }));
    const sizes = [30_000, 30_000, 30_000, 30_000, 30_000, 1_500];
    const model = scriptedModel([{ calls: sizes.map((n) => ({ tool: "Read", input: { n } })) }, { text: "done" }], {
      contextTokens: WINDOW,
    });
    await using engine = await startLoop({ models: model, tools: [sized] });
    const task = await engine.run({ agent: "agent" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done", recovered: null });
    model.done();
    const texts = toolTexts(model.requests[1]);
    expect(texts.map(({ length }) => length > 10_000)).toEqual([true, true, true, true, true, false]);
    expect(texts.at(-1)).toBe("x".repeat(1_500));
    expect(texts[0]).toMatch(/characters left out here: the window is full. The result is in \/kept\/call_\S+\.txt;/);
    expect(engine.kept.map(({ length }) => length)).toEqual(sizes.slice(0, 5));
    expect(charsOf(model.requests[1] ?? { messages: [], tools: [], maxOutputTokens: 1 })).toBeLessThan(WINDOW * 3);

    // By the log alone, it is the same.
    const log = (await engine.log(task.id)).map(({ event }) => event as TaskEvent);
    const shortened = log.findLastIndex(({ type }) => type === "results.shortened");
    const folded = Conversation.fold(log.slice(0, shortened + 1));
    expect(toolTexts({ messages: folded.messages("") })).toEqual(texts);
  });

  test("that was cut before is not kept a second time", async () => {
    const sized = fakeTool("Read", () => ({ ok: true, text: "x".repeat(200_000) }));
    const model = scriptedModel([reads(6), { text: "done" }], { contextTokens: WINDOW });
    await using engine = await startLoop({ models: model, tools: [sized] });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ answer: "done" });
    expect(engine.kept.map(({ length }) => length)).toEqual(Array.from({ length: 6 }, () => 200_000));
    expect(toolTexts(model.requests[1])[0]).toContain("The result is in /kept/");
  });

  test("that the provider finds too long all the same is shortened further", async () => {
    const model = scriptedModel([reads(1), tooLong, tooLong, { text: "done" }]);
    await using engine = await startLoop({ models: model, tools: [read()] });
    expect((await engine.run({ agent: "agent" })).outcome).toMatchObject({ answer: "done", recovered: null });
    const lengths = model.requests.slice(1).map((request) => toolTexts(request)[0]?.length ?? 0);
    expect(lengths[0]).toBe(30_000);
    expect(lengths[1]).toBeLessThan(8_000);
    expect(lengths[2]).toBeLessThan(2_500);
  });

  test("wherever the whole of it is kept, that is tried only so often", async () => {
    const isLong: ReplyScript = () => tooLong;
    const model = scriptedModel([reads(1), ...Array.from({ length: 40 }, () => isLong)]);
    const deep = `/kept/${"folder/".repeat(60)}`;
    const loop = { keepWhole: async () => deep, wholeAt: () => deep };
    await using engine = await startLoop({ models: model, tools: [read()], loop });
    await engine.run({ agent: "agent", prompt: "Look." });
    expect(model.requests.length).toBeLessThan(15);
  });

  test("that cannot be made to fit leaves the agent its last words, and they are asked for in short", async () => {
    // What the call was given stays as it is: results alone do not help.
    const big = { calls: [{ tool: "Read", input: { much: "y".repeat(6_000) } }], text: "I look." };
    const isLong: ReplyScript = () => tooLong;
    const model = scriptedModel([big, isLong, isLong, isLong, isLong, isLong, { text: "so far" }]);
    await using engine = await startLoop({ models: model, tools: [read()] });
    const saved = await engine.run({ agent: "agent", prompt: "Look." });
    expect(saved.outcome).toMatchObject({ answer: "so far", recovered: { limit: "backend_error" } });
    const last = model.requests.at(-1);
    expect(textsOf(last)).toContain("does not fit your window any more");
    expect(textsOf(last)).toContain("Your task was: Look.");
    expect(last === undefined ? 0 : charsOf(last)).toBeLessThan(10_000);
  });

  test("and so they know also in short what was waited for", async () => {
    const asked = Promise.withResolvers<void>();
    const dig = { tool: "Task", input: { subagent_type: "child", prompt: "dig", run_in_background: true } };
    const big = { tool: "Read", input: { much: "y".repeat(6_000) } };
    const reply: ReplyScript = (request) => {
      if (textsOf(request).includes("does not fit your window")) return { text: "so far" };
      asked.resolve();
      return tooLong;
    };
    const models = {
      lead: scriptedModel([{ calls: [dig, big] }, ...Array.from({ length: 10 }, () => reply)]),
      child: scriptedModel([async () => (await asked.promise, { text: "gold" })]),
    };
    const agents = [
      { name: "lead", description: "leads", tools: ["Task", "Read"] },
      { name: "child", description: "digs" },
    ];
    await using engine = await startLoop({ models, agents, delegation: true, tools: [read()] });
    const saved = await engine.run({ agent: "lead", prompt: "Look." });
    expect(saved.outcome).toMatchObject({ answer: "so far", recovered: { limit: "backend_error" } });
    expect(textsOf(models.lead.requests.at(-1))).toContain("completed. gold");
  });

  test.each([
    ["is not tried again where its last words have completed it", true],
    ["is tried again where it has failed, and its agent wants that", false],
  ])("and %s", async (_, isSaved) => {
    const big = { calls: [{ tool: "Read", input: { much: "y".repeat(6_000) } }], text: "I look." };
    const reply: ReplyScript = (request) => {
      if (textsOf(request).includes("you have another attempt")) return { text: "done" };
      return isSaved && textsOf(request).includes("This is your last reply") ? { text: "so far" } : tooLong;
    };
    const model = scriptedModel([big, ...Array.from({ length: 20 }, () => reply)]);
    const retry = { attempts: 2, on: ["backend_error" as const] };
    const agents = [{ name: "agent", description: "looks", retry }];
    await using engine = await startLoop({ models: model, tools: [read()], agents });
    const task = await engine.run({ agent: "agent", prompt: "Look." });
    expect(task.attempts).toHaveLength(isSaved ? 1 : 2);
    expect(task.outcome).toMatchObject(
      isSaved ? { answer: "so far", recovered: { limit: "backend_error" } } : { answer: "done", recovered: null },
    );
  });

  test("whatever the limit, last words are asked for in short where the whole is too long", async () => {
    const model = scriptedModel([reads(1), tooLong, { text: "so far" }]);
    await using engine = await startLoop({ models: model, tools: [read()] });
    const task = await engine.run({ agent: "agent", limits: { maxTurns: 1 } });
    expect(task.outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
  });
});

describe("the plan", () => {
  const plan = "# Plan\n- [x] look\n- [ ] mend the door\n- [ ] paint it";

  test("stays beside the summary, as it stands", async () => {
    const script: ReplyScript[] = Array.from(
      { length: 6 },
      () => (request) => (isSummary(request) ? { text: "It read." } : reads(1)),
    );
    const model = scriptedModel(
      [
        ...script,
        ...Array.from(
          { length: 3 },
          (): ReplyScript => (request) => (isSummary(request) ? { text: "It read." } : { text: "done" }),
        ),
      ],
      { contextTokens: WINDOW },
    );
    await using engine = await startLoop({ models: model, tools: [read()], loop: { planOf: async () => plan } });
    const task = await engine.run({ agent: "agent", prompt: "Mend it." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "done" });
    const last = model.requests.at(-1);
    expect(textsOf(last)).toContain("Mend it.");
    expect(last?.messages[2]?.text).toContain("It read.");
    expect(last?.messages[3]?.text).toContain(plan);

    const log = await engine.log(task.id);
    expect(factsOf(log, "history.compacted").at(-1)).toMatchObject({ plan });
    const folded = Conversation.fold(log.map(({ event }) => event as TaskEvent)).messages("");
    expect(folded[3]?.text).toContain(plan);
  });

  test("that is long loses what is done first, and says where it is whole", async () => {
    const done = Array.from({ length: 200 }, (_, n) => `- [x] step ${n} ${"z".repeat(60)}`).join("\n");
    const long = `${done}\n- [ ] mend the door`;
    const model = scriptedModel([reads(1), reads(1), reads(1), { text: "It read." }, { text: "done" }], {
      contextTokens: WINDOW,
    });
    await using engine = await startLoop({ models: model, tools: [read()], loop: { planOf: async () => long } });
    await engine.run({ agent: "agent" });
    const shown = model.requests.at(-1)?.messages[3]?.text ?? "";
    expect(shown).toContain("- [ ] mend the door");
    expect(shown).toMatch(/The whole is in \S+_plan\.md/);
    expect(shown.length).toBeLessThan(8_300);
  });
});
