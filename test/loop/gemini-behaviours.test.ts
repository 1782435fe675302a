// Thirty behaviours of Gemini CLI's agents, 12 to 28 and 30: how they run. 1 to 11 and 29 are in
// gemini-behaviours-files.test.ts. Where we do better on purpose, the name says so.
import { describe, expect, test } from "vitest";
import type { Json } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, type LoopOptions, startLoop, toolTexts, typesOf } from "./kit.ts";

const never = new Promise(() => undefined);
const read: ReplyScript = { calls: [{ tool: "Read", input: {} }] };
const complete = (result: Json): ReplyScript => ({ calls: [{ tool: "complete_task", input: { result } }] });
/** As it comes from a file of that program. */
const gemini: AgentWish = { name: "agent", description: "x", source: { from: "gemini", file: "agent.md" } };

async function play(script: readonly ReplyScript[], more: Partial<LoopOptions> = {}, limits = {}) {
  const model = scriptedModel(script);
  await using engine = await startLoop({ models: model, agents: [gemini], tools: [fakeTool("Read")], ...more });
  const task = await engine.run({ agent: "agent", prompt: "Find the door.", limits, askable: "nobody" });
  return { task, model, log: await engine.log(task.id), outcome: task.outcome };
}

describe("an agent of Gemini CLI on our loop", () => {
  test("12. a tool, then complete_task: that result exactly, after two turns", async () => {
    const { task, outcome } = await play([read, complete("  It is green.\n")]);
    expect(outcome).toMatchObject({ status: "completed", answer: "  It is green.\n", recovered: null });
    expect(task.turns).toBe(2);
  });

  test("13. complete_task without a result, or with a blank one: told which argument, and it goes on", async () => {
    const blank = { calls: [{ tool: "complete_task", input: {} }] };
    const { model, outcome } = await play([blank, complete(" "), complete(7), complete("yes")]);
    expect(outcome).toMatchObject({ answer: "yes", recovered: null });
    const told = model.requests.slice(1).map((request) => toolTexts(request)[0]);
    expect(told).toEqual([
      expect.stringContaining('Missing required "result" argument'),
      expect.stringContaining('Missing required "result" argument'),
      expect.stringContaining('"result" must be text'),
    ]);
  });

  test("14. an output that does not fit: told field by field, and may be mended", async () => {
    const schema = {
      type: "object",
      required: ["a", "b"],
      properties: { a: { type: "integer" }, b: { type: "string" } },
    };
    const agents = [{ name: "agent", description: "x", output: { name: "report", schema } }];
    const report = (value: Json) => ({ calls: [{ tool: "complete_task", input: { report: value } }] });
    const { model, outcome } = await play([report({ a: "1" }), report({ a: 1, b: "x" })], { agents });
    expect(outcome).toMatchObject({ output: { a: 1, b: "x" } });
    expect(toolTexts(model.requests[1])[0]).toMatch(
      /^Output validation failed: .*\bb\b.*output\.a must be integer|output\.a must be integer.*\bb\b/,
    );
  });

  test("15. two complete_task in one turn: the first wins, and it ends once", async () => {
    const calls = ["one", "two"].map((result) => ({ tool: "complete_task", input: { result } }));
    const { log, outcome } = await play([{ calls }]);
    expect(outcome).toMatchObject({ answer: "one" });
    expect(factsOf(log, "task.ended")).toHaveLength(1);
  });

  test("16. two tools in one turn run at the same time; one result each, in the order of the calls", async () => {
    const second = Promise.withResolvers<void>();
    const tools = [
      fakeTool("Slow", async () => (await second.promise, { ok: true, text: "slow" })),
      fakeTool("Quick", () => (second.resolve(), { ok: true, text: "quick" })),
    ];
    const calls = [
      { tool: "Slow", input: {} },
      { tool: "Quick", input: {} },
    ];
    const { model } = await play([{ calls }, complete("ok")], { tools });
    expect(toolTexts(model.requests[1])).toEqual(["slow", "quick"]);
  });

  test("17. a text without a call: one more turn; completing there is a success that shows it", async () => {
    const saved = await play([{ text: "I think it is green." }, complete("green")]);
    expect(saved.outcome).toMatchObject({
      status: "completed",
      answer: "green",
      recovered: { limit: "no_completion" },
    });
    const lost = await play([{ text: "I think it is green." }, { text: "Green." }]);
    // (better) what it said is not thrown away
    expect(lost.outcome).toMatchObject({ status: "failed", reason: "no_completion", answer: "Green." });
    expect(lost.model.requests).toHaveLength(2);
  });

  test("18. max_turns N: exactly N turns and one more; the failure names N", async () => {
    const { model, outcome } = await play(
      Array.from({ length: 9 }, () => read),
      {},
      { maxTurns: 3 },
    );
    expect(model.requests).toHaveLength(4);
    expect(outcome).toMatchObject({ status: "failed", reason: "max_turns", message: "not done after 3 turns" });
  });

  test.each([
    ["a model call", [{ after: never }], fakeTool("Read")],
    ["a tool call", [read], fakeTool("Read", () => new Promise(() => undefined))],
  ] as const)(
    "19. the time is up during %s: one more turn, (better) with the task in it",
    async (_during, first, tool) => {
      const model = scriptedModel([...first, complete("as far as I came")]);
      await using engine = await startLoop({ models: model, agents: [gemini], tools: [tool] });
      const task = await engine.start({ agent: "agent", prompt: "Find the door.", limits: { timeoutMs: 60_000 } });
      engine.work();
      await engine.until(task.id, "running");
      for (let round = 0; round < 20; round++) await engine.world.clock.settle();
      await engine.world.clock.advance(60_000);
      const done = await engine.until(task.id, "completed");
      expect(done.outcome).toMatchObject({ answer: "as far as I came", recovered: { limit: "timeout" } });
      expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain("Your task was: Find the door.");
    },
  );

  test("19. the last turn has 60 s of its own; after that it is a timeout", async () => {
    const model = scriptedModel([{ after: never }, { after: never }]);
    await using engine = await startLoop({ models: model, agents: [gemini] });
    const task = await engine.start({ agent: "agent", limits: { timeoutMs: 60_000 } });
    engine.work();
    await engine.until(task.id, "running");
    await engine.world.clock.advance(60_000);
    await engine.world.clock.advance(59_999);
    expect((await engine.show(task.id)).status).toBe("running");
    await engine.world.clock.advance(1);
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ reason: "timeout" });
  });

  test("20. (better) what was only saved by its last turn never looks like a clean success", async () => {
    const { outcome } = await play([read, read, complete("half")], {}, { maxTurns: 2 });
    expect(outcome).toMatchObject({ status: "completed", answer: "half", recovered: { limit: "max_turns" } });
  });

  test("21. a stop: cancelled, no last turn, and the parent's other work is left alone", async () => {
    const model = scriptedModel([{ after: never }, complete("never asked for")]);
    await using engine = await startLoop({ models: model, agents: [gemini] });
    const task = await engine.start({ agent: "agent" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ by: "ada", how: "cooperative" });
    expect(model.requests).toHaveLength(1);
    expect(factsOf(await engine.log(task.id), "instruction.added").map(({ because }) => because)).toEqual(["task"]);
  });

  test("22. a tool that it was not given: told so, nothing is run, and it goes on", async () => {
    const write = fakeTool("Write", undefined, "write");
    const agents = [{ ...gemini, tools: ["Read"] }];
    const call = { calls: [{ tool: "Write", input: {} }] };
    const { model, outcome } = await play([call, complete("ok")], { agents, tools: [fakeTool("Read"), write] });
    expect(outcome).toMatchObject({ answer: "ok" });
    expect(write.ran).toEqual([]);
    expect(toolTexts(model.requests[1])[0]).toContain('There is no tool "Write" for this agent');
  });

  test.each([undefined, ["*"], ["Read", "*"]])(
    "23. delegating is not offered to an agent with the tools %j",
    async (tools) => {
      const agents = [
        { ...gemini, ...(tools === undefined ? {} : { tools }) },
        { name: "other", description: "y" },
      ];
      const { model } = await play([complete("ok")], { agents, delegation: true });
      expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("Task");
    },
  );

  test("24. a person rejects a call: told so, it goes on; waiting for the person takes none of its time", async () => {
    const write = fakeTool("Write", undefined, "write");
    const agents: AgentWish[] = [{ ...gemini, workspace: { mode: "shared", allow_writes: true } }];
    const model = scriptedModel([{ calls: [{ tool: "Write", input: {} }] }, complete("without it")]);
    await using engine = await startLoop({ models: model, agents, tools: [write] });
    const task = await engine.start({ agent: "agent", limits: { timeoutMs: 60_000 } });
    engine.work();
    const waiting = await engine.until(task.id, "waiting");
    await engine.world.clock.advance(300_000);
    expect((await engine.show(task.id)).status).toBe("waiting");
    const approval = waiting.approvals[0]?.id;
    if (approval === undefined) throw new Error("nobody was asked");
    const answer = { verdict: "deny", note: "not that file" } as const;
    await engine.engine.command(task.id, { type: "answer", approval, answer, by: "ada" });
    expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "without it", recovered: null });
    expect(write.ran).toEqual([]);
    expect(toolTexts(model.requests[1])[0]).toMatch(/not that file\). Do not repeat the call/);
  });

  test("25. arguments that are not JSON: an error for that call, its neighbours run, none is without a result", async () => {
    const tool = fakeTool("Read");
    const calls = [
      { tool: "Read", input: "{oops", invalid: "its input is not JSON" },
      { tool: "Read", input: {} },
      { tool: "Read", input: {}, id: "call-1-1" }, // named like its neighbour
    ];
    const { model, outcome } = await play([{ calls }, complete("ok")], { tools: [tool] });
    expect(outcome).toMatchObject({ answer: "ok" });
    expect(tool.ran).toHaveLength(2);
    const results = model.requests[1]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results.map((message) => message.role === "tool" && message.isError)).toEqual([true, false, false]);
    expect(new Set(results.map((message) => message.role === "tool" && message.call)).size).toBe(3);
  });

  test("26. history is summed up before the window is full; where no summary can be had it is cut, and it goes on", async () => {
    const long = fakeTool("Read", () => ({ ok: true, text: "x".repeat(20_000) }));
    const isSummary = (request: { messages: readonly { text: string }[] }) =>
      request.messages[0]?.text.startsWith("You sum up") === true;
    const script: ReplyScript[] = Array.from({ length: 12 }, (_, index) => (request) => {
      if (isSummary(request)) return { error: { kind: "other", message: "no summaries today" } };
      return index < 9
        ? { calls: [{ tool: "Read", input: {} }] }
        : { calls: [{ tool: "complete_task", input: { result: "ok" } }] };
    });
    const model = scriptedModel(script, { contextTokens: 30_000 });
    await using engine = await startLoop({ models: model, agents: [gemini], tools: [long] });
    const task = await engine.run({ agent: "agent", prompt: "Find the door." });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "ok" });
    expect(factsOf(await engine.log(task.id), "history.compacted").length).toBeGreaterThan(0);
    for (const request of model.requests.filter((one) => !isSummary(one)))
      expect(JSON.stringify(request.messages).length).toBeLessThan(90_000);
  });

  test("27. the log begins once, has a result for every call, ends once with the reason, and is one stream", async () => {
    const { log } = await play([read, read, complete("ok")]);
    const types = typesOf(log);
    expect(types.filter((type) => type === "attempt.started")).toHaveLength(1);
    expect(types.filter((type) => type === "task.ended")).toHaveLength(1);
    expect(types.at(-1)).toBe("task.ended");
    const called = factsOf(log, "tool.called").map(({ call }) => call);
    expect(factsOf(log, "tool.returned").map(({ call }) => call)).toEqual(called);
    expect(new Set(log.map(({ stream }) => stream)).size).toBe(1);
  });

  test("28. an error of the API inside a child: its parent is told of a failure, (better) as an error, and goes on", async () => {
    const models = {
      lead: scriptedModel([
        { calls: [{ tool: "Task", input: { subagent_type: "agent", prompt: "x" } }] },
        { text: "alone" },
      ]),
      agent: scriptedModel([{ error: { kind: "other", message: "400: unexpected role" } }]),
    };
    const agents = [gemini, { name: "lead", description: "leads", tools: ["Task"] }];
    await using engine = await startLoop({ models, agents, delegation: true });
    const task = await engine.run({ agent: "lead" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "alone" });
    expect(models.lead.requests[1]?.messages.at(-1)).toMatchObject({ role: "tool", isError: true });
    expect(toolTexts(models.lead.requests[1])[0]).toContain("backend_error: 400: unexpected role");
  });

  test("30. with nobody to ask, what would be asked is an error for that call, and never a hang", async () => {
    const write = fakeTool("Write", undefined, "write");
    const agents: AgentWish[] = [{ ...gemini, workspace: { mode: "shared", allow_writes: true } }];
    const call = { calls: [{ tool: "Write", input: {} }] };
    const { model, outcome } = await play([call, complete("ok")], { agents, tools: [write] });
    expect(outcome).toMatchObject({ answer: "ok" });
    expect(toolTexts(model.requests[1])[0]).toContain("nobody can be asked");
    expect(write.ran).toEqual([]);
  });

  test("30. rules by agent: as the caller by its own list, as the callee by Task(name)", async () => {
    const models = {
      agent: scriptedModel([
        { calls: ["good", "bad"].map((name) => ({ tool: "Task", input: { subagent_type: name, prompt: "x" } })) },
        complete("ok"),
      ]),
      good: scriptedModel([{ text: "fine" }]),
    };
    const agents: AgentWish[] = [
      { ...gemini, tools: { mode: "allowlist", allow: ["Task"], deny: ["Task(bad)"] } },
      { name: "good", description: "g" },
      { name: "bad", description: "b" },
    ];
    await using engine = await startLoop({ models, agents, delegation: true });
    const task = await engine.run({ agent: "agent" });
    expect(toolTexts(models.agent.requests[1])).toEqual([
      expect.stringMatching(/^fine\n/),
      expect.stringContaining("Refused (agent agent: deny Task(bad))"),
    ]);
    // (better) the child's result is in the parent's log
    expect(factsOf(await engine.log(task.id), "child.ended")).toMatchObject([{ status: "completed", summary: "fine" }]);
  });
});
