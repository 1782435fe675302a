// A worker dies while an agent of its has children: the same children go on, and no result is lost or told twice.
import { describe, expect, test } from "vitest";
import type { TaskId, TaskView } from "../../src/schema/index.ts";
import { type ReplyScript, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, type LoopEngine, startLoop, toolTexts } from "./kit.ts";

const agents: AgentWish[] = [
  { name: "lead", description: "leads", tools: ["Task", "Read"] },
  { name: "child", description: "digs" },
];
const never = new Promise(() => undefined);
const call = (isBackground: boolean) => ({
  calls: [{ tool: "Task", input: { subagent_type: "child", prompt: "dig", run_in_background: isBackground } }],
});
const children = async (engine: LoopEngine, lead: TaskView): Promise<TaskView[]> => engine.children(lead);

/** Two lives of one worker: what the models say in the first, which hangs somewhere, and in the second. */
async function twoLives(
  first: Record<string, readonly ReplyScript[]>,
  second: Record<string, readonly ReplyScript[]>,
  killWhen: (engine: LoopEngine, lead: TaskId) => Promise<boolean>,
) {
  const world = testWorld();
  const modelsOf = (scripts: Record<string, readonly ReplyScript[]>) =>
    Object.fromEntries(Object.entries(scripts).map(([name, script]) => [name, scriptedModel(script)]));
  const options = { world, agents, delegation: true, tools: [fakeTool("Read")] };
  const dying = await startLoop({ ...options, models: modelsOf(first) });
  const lead = await dying.start({ agent: "lead" });
  dying.work();
  for (let round = 0; round < 3_000 && !(await killWhen(dying, lead.id)); round++) await world.clock.settle();
  expect(await killWhen(dying, lead.id)).toBe(true);
  dying.kill();
  const models = modelsOf(second);
  const engine = await startLoop({ ...options, models });
  engine.work();
  const done = await engine.until(lead.id, "completed");
  return { engine, done, models, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

const isRunning = async (engine: LoopEngine): Promise<boolean> =>
  (await engine.all()).some(({ spec, turns }) => spec.definition.name === "child" && turns > 0);
const hasEnded = async (engine: LoopEngine): Promise<boolean> =>
  (await engine.all()).some(({ spec, outcome }) => spec.definition.name === "child" && outcome !== null);

describe("kill -9 of the worker", () => {
  test("while a child runs in the foreground: the parent waits for the same child", async () => {
    await using life = await twoLives(
      { lead: [call(false)], child: [{ after: never }] },
      { lead: [{ text: "ok" }], child: [{ text: "gold" }] },
      isRunning,
    );
    const all = await children(life.engine, life.done);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ status: "completed" });
    expect(all[0]?.attempts).toHaveLength(2);
    expect(toolTexts(life.models["lead"]?.requests[0])).toEqual([expect.stringMatching(/^gold\n\nTask ID: /)]);
  });

  test("while three children run in the foreground: none is started again", async () => {
    const three = { calls: [...call(false).calls, ...call(false).calls, ...call(false).calls] };
    const hangs = { after: never };
    await using life = await twoLives(
      { lead: [three], child: [{ text: "one" }, hangs, hangs] },
      { lead: [{ text: "ok" }], child: [{ text: "two" }, { text: "three" }] },
      async (engine) => (await hasEnded(engine)) && (await engine.all()).filter(({ turns }) => turns > 0).length === 4,
    );
    expect(await children(life.engine, life.done)).toHaveLength(3);
    const told = toolTexts(life.models["lead"]?.requests[0]).map((text) => text.split("\n")[0] ?? "");
    expect(told.toSorted()).toEqual(["one", "three", "two"]);
  });

  test("while a child runs in the background: its result comes, before the answer counts", async () => {
    await using life = await twoLives(
      { lead: [call(true), { after: never }], child: [{ after: never }] },
      { lead: [{ text: "too early" }, { text: "with gold" }], child: [{ text: "gold" }] },
      isRunning,
    );
    expect(life.done.outcome).toMatchObject({ answer: "with gold" });
    expect(await children(life.engine, life.done)).toHaveLength(1);
    const told = factsOf(await life.engine.log(life.done.id), "instruction.added").filter(
      (one) => one.because === "news",
    );
    expect(told).toMatchObject([{ text: expect.stringContaining("completed. gold") }]);
  });

  test("after a child in the background has ended, at every moment: it is told of once", async () => {
    const moments = [
      hasEnded,
      async (engine: LoopEngine, lead: TaskId) => factsOf(await engine.log(lead), "child.ended").length > 0,
      async (engine: LoopEngine, lead: TaskId) =>
        factsOf(await engine.log(lead), "instruction.added").some(({ because }) => because === "news"),
    ];
    for (const moment of moments) {
      await using life = await twoLives(
        { lead: [call(true), { text: "early" }, { after: never }], child: [{ text: "gold" }] },
        { lead: [{ text: "last" }, { text: "last" }, { text: "last" }], child: [] },
        moment,
      );
      const told = factsOf(await life.engine.log(life.done.id), "instruction.added").filter(
        ({ because }) => because === "news",
      );
      expect(told).toHaveLength(1);
      expect(life.done.outcome).toMatchObject({ answer: "last" });
    }
  });

  test("between the end of a child in the log and the word to the agent, nothing is lost", async () => {
    const world = testWorld();
    const isLast = Promise.withResolvers<void>();
    // The very moment: the end is in the log, and the next thing that the worker wants to write is not.
    const store = new Proxy(world.store, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key, target);
        if (key !== "append" || typeof member !== "function")
          return typeof member === "function" ? member.bind(target) : member;
        return async (...args: [unknown, readonly { type: string; because?: string }[]]) => {
          if (args[1].some(({ because }) => because === "news")) {
            isLast.resolve();
            return never;
          }
          return Reflect.apply(member, target, args) as unknown;
        };
      },
    });
    const models = { lead: scriptedModel([call(true), { text: "early" }]), child: scriptedModel([{ text: "gold" }]) };
    const dying = await startLoop({ world: { ...world, store }, agents, delegation: true, models });
    const lead = await dying.start({ agent: "lead" });
    dying.work();
    for (let round = 0; round < 50; round++) await world.clock.settle();
    await isLast.promise;
    dying.kill();
    expect(factsOf(await dying.log(lead.id), "child.ended")).toHaveLength(1);

    const after = scriptedModel([{ text: "with gold" }]);
    await using engine = await startLoop({ world, agents, delegation: true, models: after });
    engine.work();
    const done = await engine.until(lead.id, "completed");
    expect(after.requests[0]?.messages.at(-1)?.text).toContain("completed. gold");
    expect(done.outcome).toMatchObject({ answer: "with gold" });
  });

  test("while TaskOutput waits for a child: it waits again, and the child is told of by it alone", async () => {
    const output = async ({ messages }: { messages: readonly { text: string }[] }) => {
      const id = /Task ID: (\S+)/.exec(messages.at(-1)?.text ?? "")?.[1] ?? "";
      return { calls: [{ tool: "TaskOutput", input: { task_id: id } }] };
    };
    await using life = await twoLives(
      { lead: [call(true), output], child: [{ after: never }] },
      { lead: [{ text: "ok" }], child: [{ text: "gold" }] },
      async (engine, lead) =>
        (await isRunning(engine)) &&
        factsOf(await engine.log(lead), "tool.called").some(({ tool }) => tool === "TaskOutput"),
    );
    expect(toolTexts(life.models["lead"]?.requests[0])[0]).toMatch(/Output:\ngold$/);
    const told = factsOf(await life.engine.log(life.done.id), "instruction.added").filter(
      (one) => one.because === "news",
    );
    expect(told).toEqual([]);
  });
});
