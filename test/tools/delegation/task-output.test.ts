// TaskOutput and TaskStop: every row of the behaviour table, and what is shown of a task.
import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/schema/index.ts";
import { type ReplyScript, scriptedModel } from "../../../src/testing/index.ts";
import { type AgentWish, fakeTool, type LoopEngine, startLoop, toolTexts } from "../../loop/kit.ts";
import { shelf } from "./shelf.ts";

const agents: AgentWish[] = [
  { name: "lead", description: "leads", tools: ["Task", "Read"] },
  { name: "child", description: "digs" },
];
const never = new Promise(() => undefined);
const BACKGROUND = { tool: "Task", input: { subagent_type: "child", prompt: "dig", run_in_background: true } };

const childOf = async (engine: LoopEngine): Promise<string> =>
  (await engine.all()).find(({ spec }) => spec.definition.name === "child")?.id ?? "";

/** A lead that starts a child in the background and then makes this one call about it. */
async function ask(
  tool: "TaskOutput" | "TaskStop",
  input: Record<string, Json>,
  child: readonly ReplyScript[],
  first: { until?: "completed" | "failed" | "running" } = {},
) {
  const goOn = Promise.withResolvers<void>();
  const models = {
    lead: scriptedModel([
      { calls: [BACKGROUND] },
      async () => {
        await goOn.promise;
        return { calls: [{ tool, input: { task_id: await childOf(engine), ...input } }] };
      },
      ...Array.from({ length: 3 }, () => ({ text: "done" })),
    ]),
    child: scriptedModel(child),
  };
  const stuck = fakeTool("Read", () => new Promise(() => undefined));
  const engine = await startLoop({ models, agents, delegation: true, tools: [stuck] });
  const lead = await engine.start({ agent: "lead" });
  engine.work();
  if (first.until !== undefined) await engine.untilAll("child", first.until);
  goOn.resolve();
  const told = async () => {
    for (let round = 0; round < 2_000 && models.lead.requests.length < 3; round++) await engine.world.clock.settle();
    return toolTexts(models.lead.requests[2])[0] ?? "";
  };
  return { engine, lead, told, model: models.lead, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

describe("TaskOutput", () => {
  test("of a running task, without waiting: its status, and what can be done", async () => {
    await using world = await ask("TaskOutput", { block: false }, [{ after: never }], { until: "running" });
    const id = await childOf(world.engine);
    expect(await world.told()).toBe(
      [
        "Agent: child",
        "Status: still running",
        "Turns: 1",
        "Tokens: 0",
        "",
        "Options:",
        `  - Wait longer: TaskOutput(task_id="${id}", timeout=60000)`,
        `  - Check status: TaskOutput(task_id="${id}", block=false)`,
        `  - Stop: TaskStop(task_id="${id}")`,
      ].join("\n"),
    );
  });

  test("of a running task, waiting: its result, when it comes in time", async () => {
    const later = Promise.withResolvers<void>();
    await using world = await ask("TaskOutput", {}, [{ after: later.promise, text: "gold" }], { until: "running" });
    await world.engine.until(world.lead.id, "waiting");
    await world.engine.world.clock.advance(29_000);
    later.resolve();
    expect(await world.told()).toMatch(
      /^Agent: child\nStatus: completed\nTurns: 1\nTokens: 120\nDuration: 29s\n\nOutput:\ngold$/,
    );
  });

  test("of a running task, waiting: still running when the time is over, 30 s by default", async () => {
    await using world = await ask("TaskOutput", {}, [{ after: never }], { until: "running" });
    await world.engine.until(world.lead.id, "waiting");
    await world.engine.world.clock.advance(29_999);
    expect((await world.engine.show(world.lead.id)).status).toBe("waiting");
    await world.engine.world.clock.advance(1);
    expect(await world.told()).toContain("Status: still running");
  });

  test.each([true, false])("of a completed task, block=%s: its result", async (block) => {
    await using world = await ask("TaskOutput", { block }, [{ text: "gold" }], { until: "completed" });
    expect(await world.told()).toContain("Status: completed");
    expect(await world.told()).toMatch(/Output:\ngold$/);
  });

  test.each([true, false])("of a failed task, block=%s: the error, and what it had said", async (block) => {
    const said = [
      { text: "half of it", stop: "length" as const },
      { error: { kind: "other" as const, message: "bang" } },
    ];
    await using world = await ask("TaskOutput", { block }, said, { until: "failed" });
    const text = await world.told();
    expect(text).toContain("Status: failed");
    expect(text).toMatch(/Error: backend_error: bang\n\nOutput:\nhalf of it$/);
    expect(world.model.requests[2]?.messages.at(-1)).toMatchObject({ role: "tool", isError: true });
  });

  test.each(["TaskOutput", "TaskStop"] as const)("what %s has told is not news once more", async (tool) => {
    await using world = await ask(tool, {}, [{ text: "gold" }], { until: "completed" });
    await world.engine.until(world.lead.id, "completed");
    const mentions = JSON.stringify(world.model.requests.at(-1)).split("gold").length - 1;
    expect(mentions).toBe(1);
  });

  test.each([
    [{ timeout: 600_001 }, "timeout"],
    [{ timeout: -1 }, "timeout"],
    [{ block: "yes" }, "block"],
    [{ tail: 3 }, "tail"],
  ])("refuses %j and says what is wrong", async (input, field) => {
    await using world = await ask("TaskOutput", input, [{ text: "x" }]);
    expect(await world.told()).toContain(`\`${field}\``);
  });

  test("knows no task that this agent did not start", async () => {
    await using world = await ask("TaskOutput", { task_id: "task_0001" }, [{ text: "x" }]);
    expect(await world.told()).toBe('You have started no task "task_0001". Use the id that you were given.');
  });
});

describe("TaskStop", () => {
  test("stops a task in the background, which is killed in GenCode's words", async () => {
    await using world = await ask("TaskStop", {}, [{ after: never }], { until: "running" });
    expect(await world.told()).toMatch(/^Agent: child\nStatus: killed/);
    await world.engine.untilAll("child", "cancelled");
    const [child] = (await world.engine.all()).filter(({ spec }) => spec.definition.name === "child");
    expect(child?.outcome).toMatchObject({ how: "cooperative", by: `its parent ${world.lead.id}` });
  });

  test("ends one by force that does not end when it is asked to", async () => {
    await using world = await ask("TaskStop", {}, [{ calls: [{ tool: "Read", input: {} }] }], { until: "running" });
    await world.engine.until(world.lead.id, "waiting");
    await world.engine.world.clock.advance(2_000);
    expect(await world.told()).toContain("Status: killed");
    const [child] = (await world.engine.all()).filter(({ spec }) => spec.definition.name === "child");
    expect(child?.outcome).toMatchObject({ status: "cancelled", how: "forced" });
  });

  test("of one that has ended says so, with its result", async () => {
    await using world = await ask("TaskStop", {}, [{ text: "gold" }], { until: "completed" });
    expect(await world.told()).toMatch(/^It has ended already\.\nAgent: child\nStatus: completed[\s\S]*gold$/);
  });

  test("knows no task that this agent did not start", async () => {
    await using world = await ask("TaskStop", { task_id: "task_none" }, [{ text: "x" }]);
    expect(await world.told()).toContain('You have started no task "task_none"');
  });
});

describe("a command in the background", () => {
  test("of before an interruption is gone, and the agent is not told that it never started it", async () => {
    for (const tool of ["TaskOutput", "TaskStop"] as const) {
      await using world = await ask(tool, { task_id: "bash_1" }, [{ text: "x" }]);
      expect(await world.told()).toMatch(/^There is no command "bash_1" any more, if there ever was: when Cadre/);
    }
  });

  test("has an id that both take", async () => {
    const shells = shelf({ bash_1: "building" });
    const model = scriptedModel([
      { calls: [{ tool: "TaskOutput", input: { task_id: "bash_1", block: false } }] },
      { calls: [{ tool: "TaskStop", input: { task_id: "bash_1" } }] },
      { calls: [{ tool: "TaskOutput", input: { task_id: "bash_1" } }] },
      { text: "done" },
    ]);
    await using engine = await startLoop({ models: model, agents, delegation: true, shells });
    await engine.run({ agent: "lead" });
    expect(model.requests.slice(1).map((request) => toolTexts(request)[0])).toEqual([
      "Command: make\nTask ID: bash_1\nStatus: still running\n\nOutput:\nbuilding",
      "Command: make\nTask ID: bash_1\nStatus: killed\nExit: SIGTERM\n\nOutput:\nbuilding",
      "Command: make\nTask ID: bash_1\nStatus: killed\nExit: SIGTERM\n\nOutput:\nbuilding",
    ]);
  });
});
