import { describe, expect, test } from "vitest";
import type { LivePart, TapeStep } from "../../src/schema/index.ts";
import { memoryWorkspaces, registryOf, startEngine, type TestEngineOptions } from "../../src/testing/index.ts";
import { answerNext, type Definition, expectStatus, factsOf, openQuestions, typesOf } from "../engine/kit.ts";

interface Playing extends Partial<TestEngineOptions> {
  readonly agent?: Partial<Definition>;
  readonly others?: readonly Definition[];
}

const playing = (tape: readonly TapeStep[], { agent = {}, others = [], ...options }: Playing = {}) =>
  startEngine({
    registry: registryOf({ name: "player", description: "Plays.", tape: [...tape], ...agent }, ...others),
    ...options,
  });

const done: TapeStep = { answer: "done" };

describe("the tape backend plays", () => {
  test("an answer, as the last turn", async () => {
    await using engine = await playing([{ answer: "forty-two", output: { value: 42 } }]);
    const task = await engine.run({ agent: "player" });
    expect(task).toMatchObject({ turns: 1, lastSaid: "forty-two" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "forty-two", output: { value: 42 } });
  });

  test("what is said: one turn each, shown word by word and kept whole", async () => {
    const shown: LivePart[] = [];
    await using engine = await playing([{ say: "Let me\n  see." }, done], {
      live: { write: (_task, part) => void shown.push(part) },
    });
    const task = await engine.run({ agent: "player" });
    const texts = shown.map((part) => part.text);
    expect(texts.join("")).toBe("Let me\n  see.done");
    expect(texts.length).toBeGreaterThan(2);
    const log = await engine.log(task.id);
    expect(factsOf(log, "message.said").map(({ text }) => text)).toEqual(["Let me\n  see.", "done"]);
    expect(factsOf(log, "turn.started").map(({ turn }) => turn)).toEqual([1, 2]);
    expect(typesOf(log).slice(3, 7)).toEqual(["turn.started", "message.said", "turn.ended", "turn.started"]);
  });

  test("a file that is read, and one that is written", async () => {
    const workspaces = memoryWorkspaces({ "in.txt": "the needle is here" });
    await using engine = await playing(
      [{ read: "in.txt", expect: "needle" }, { write: "out.txt", content: "found" }, done],
      { workspaces, agent: { permission_mode: "acceptEdits", workspace: { allow_writes: true } } },
    );
    const task = await engine.run({ agent: "player" });
    expect(task).toMatchObject({ status: "completed", calls: { made: 2, refused: 0 } });
    expect(workspaces.files.get("out.txt")).toBe("found");
    const log = await engine.log(task.id);
    const [read, write] = factsOf(log, "tool.called");
    expect([read, write]).toMatchObject([
      { tool: "Read", effect: "read", input: { path: "in.txt" } },
      { tool: "Write", effect: "write", input: { path: "out.txt", content: "found" } },
    ]);
    expect(factsOf(log, "tool.returned")).toMatchObject([
      { call: read?.call, ok: true },
      { call: write?.call, ok: true },
    ]);
  });

  test("a question, whatever its answer", async () => {
    await using engine = await playing([{ ask: "Shall I?" }, done]);
    const task = await engine.start({ agent: "player" });
    engine.work();
    expect(await openQuestions(engine, task.id)).toMatchObject([
      { kind: "question", title: "Shall I?", body: "Shall I?" },
    ]);
    await answerNext(engine, task.id, { verdict: "deny" });
    await engine.until(task.id, "completed");
  });

  const child: Definition = {
    name: "child",
    description: "Helps.",
    inputs: [{ name: "file" }],
    tape: [{ answer: "the child's answer" }],
  };

  test("a delegation that it waits for: what comes back is the child's answer", async () => {
    const step: TapeStep = { delegate: "child", prompt: "help", inputs: { file: "a.ts" } };
    await using engine = await playing([step, done], { others: [child] });
    const task = await engine.run({ agent: "player" });
    const log = await engine.log(task.id);
    expect(factsOf(log, "tool.called")).toMatchObject([{ tool: "Task", effect: "delegate" }]);
    expect(factsOf(log, "tool.returned")).toMatchObject([{ ok: true, output: "the child's answer" }]);
    expect((await engine.show(task.children[0] ?? task.id)).spec).toMatchObject({
      prompt: "help",
      inputs: { file: "a.ts" },
    });
  });

  test("a delegation in the background: what comes back is its id", async () => {
    await using engine = await playing([{ delegate: "child", prompt: "help", background: true }, done], {
      others: [child],
    });
    const task = await engine.run({ agent: "player" });
    const returned = factsOf(await engine.log(task.id), "tool.returned");
    expect(returned).toMatchObject([{ ok: true, output: `started ${task.children[0]}` }]);
  });

  const failing: [what: string, step: TapeStep, agent: Partial<Definition>, output: string | undefined][] = [
    ["to nobody", { delegate: "nobody", prompt: "help" }, {}, 'there is no agent called "nobody"'],
    ["to an agent that fails", { delegate: "broken", prompt: "help" }, {}, "failed"],
    ["that its tools do not allow", { delegate: "child", prompt: "help" }, { tools: ["Read"] }, undefined],
  ];

  test.each(failing)("a delegation %s: it is told, and goes on", async (_, step, agent, output) => {
    const broken: Definition = { name: "broken", description: "Breaks.", tape: [{ crash: "bang" }] };
    await using engine = await playing([step, done], { agent, others: [child, broken] });
    const task = await engine.run({ agent: "player" });
    expect(task.status).toBe("completed");
    const returned = factsOf(await engine.log(task.id), "tool.returned").map((one) => [one.ok, one.output]);
    expect(returned).toEqual(output === undefined ? [] : [[false, output]]);
  });

  test("calls of one turn at the same time", async () => {
    const slow: Definition = {
      name: "slow",
      description: "Takes long.",
      tape: [{ pause_ms: 1000 }, { answer: "slow" }],
    };
    const calls = [{ delegate: "slow", prompt: "1" }, { delegate: "slow", prompt: "2" }, { read: "a.txt" }];
    await using engine = await playing([{ together: calls }, done], {
      others: [slow],
      workspaces: memoryWorkspaces({ "a.txt": "text" }),
    });
    const task = await engine.start({ agent: "player" });
    engine.work();
    await engine.world.clock.advance(1000);
    const view = await engine.until(task.id, "completed");
    expect(view).toMatchObject({ calls: { made: 3 }, children: [expect.any(String), expect.any(String)] });
    expect((view.endedAt ?? 0) - view.createdAt, "not one after the other").toBe(1000);
  });

  test("spending, and a budget that does not allow it", async () => {
    const spend = (tokens: number): TapeStep => ({ spend: { microUsd: 10, tokens } });
    await using engine = await playing([spend(60), spend(40), spend(1), done], { agent: { max_tokens: 100 } });
    const task = await engine.run({ agent: "player" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "budget" });
    expect(task.spent).toEqual({ microUsd: 20, tokens: 100 });
  });

  test("a pause", async () => {
    await using engine = await playing([{ pause_ms: 5000 }, done]);
    const task = await engine.start({ agent: "player" });
    engine.work();
    await engine.world.clock.advance(4999);
    expect(await engine.until(task.id, "waiting")).toMatchObject({ waitingOn: "timer" });
    await engine.world.clock.advance(1);
    await engine.until(task.id, "completed");
  });

  test("a message that it waits for", async () => {
    await using engine = await playing([{ hear: "left" }, done]);
    const task = await engine.start({ agent: "player" });
    engine.work();
    await engine.until(task.id, "waiting");
    await engine.engine.command(task.id, { type: "send", text: "go left now", by: "ada" });
    await expectStatus(engine, task.id, "completed");
  });

  test("a hang, until it is left behind", async () => {
    await using engine = await playing([{ hang: true }]);
    const task = await engine.start({ agent: "player" });
    engine.work();
    await engine.world.clock.advance(60_000);
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(2000);
    expect((await engine.until(task.id, "cancelled")).outcome).toMatchObject({ how: "forced" });
  });

  test("a crash", async () => {
    await using engine = await playing([{ crash: "out of memory" }]);
    expect((await engine.run({ agent: "player" })).outcome).toMatchObject({
      reason: "crashed",
      message: "out of memory",
    });
  });

  test.each(["refused", "backend_error", "rate_limited"] as const)("a failure with the reason %s", async (fail) => {
    await using engine = await playing([{ fail, message: "so it goes" }]);
    expect((await engine.run({ agent: "player" })).outcome).toMatchObject({ reason: fail, message: "so it goes" });
  });

  test("from its beginning again at every attempt", async () => {
    const agent: Partial<Definition> = { retry: { attempts: 2, on: ["crashed"] } };
    await using engine = await playing([{ say: "trying" }, { crash: "bang" }], { agent });
    const task = await engine.run({ agent: "player" });
    expect(factsOf(await engine.log(task.id), "message.said")).toHaveLength(2);
    expect(task.attempts).toHaveLength(2);
  });
});
