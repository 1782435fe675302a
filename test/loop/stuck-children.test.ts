// Children in the background whose worker died, and that do not go on by themselves.
import { describe, expect, test } from "vitest";
import { Conversation } from "../../src/loop/conversation.ts";
import { brandId } from "../../src/schema/index.ts";
import { answers, hangs, type Script, scriptedBackend, scriptedModel, testWorld } from "../../src/testing/index.ts";
import { type AgentWish, factsOf, fakeTool, startLoop } from "./kit.ts";

const agents: AgentWish[] = [
  { name: "lead", description: "leads", tools: ["Task", "Read"] },
  { name: "child", description: "digs", backend: "stuck" },
];
const never = new Promise<never>(() => undefined);
const delegates = {
  calls: [{ tool: "Task", input: { subagent_type: "child", prompt: "dig", run_in_background: true } }],
};

/** A lead whose worker died, with that of its child, while it waited for its second reply. Another goes on. */
async function left(second: ReturnType<typeof scriptedModel>, limits = {}) {
  const world = testWorld();
  const backend = (script: Script) => [scriptedBackend([script], { name: "stuck" })];
  const dying = scriptedModel([delegates, { after: never }]);
  const options = { world, agents, delegation: true, tools: [fakeTool("Read")] } as const;
  const first = await startLoop({ ...options, backends: backend(hangs()), models: { lead: dying } });
  const lead = await first.start({ agent: "lead", limits });
  first.work();
  await first.untilAll("child", "running");
  await expect.poll(() => dying.requests.length).toBe(2);
  first.kill();
  const engine = await startLoop({ ...options, backends: backend(answers("dug")), models: { lead: second } });
  engine.work();
  return { engine, world, id: lead.id };
}

describe("a child that goes on only when a person says so", () => {
  test("does not hold its parent for ever: that is told once, and ends", async () => {
    const model = scriptedModel([{ text: "all dug" }, { text: "not dug: it was interrupted" }]);
    const { engine, id, world } = await left(model);
    await using _engine = engine;
    const { outcome, children } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "not dug: it was interrupted", recovered: null });
    const news = factsOf(await engine.log(id), "instruction.added").filter(({ because }) => because === "news");
    expect(news).toHaveLength(1);
    expect(news[0]?.text).toMatch(/go on only when a person says so.*\n- child \(task_\w+\): .*died/);
    expect(factsOf(await engine.log(id), "child.ended")).toEqual([]);
    expect(await world.store.task(children[0] ?? id)).toMatchObject({ status: "interrupted" });
    expect(await world.store.inbox({ state: "unread", limit: 9 })).toMatchObject([
      { kind: "ended", task: id },
      { kind: "interrupted", agent: "child" },
    ]);
  });

  test("is waited for once a person has said so, and its parent is told of its end", async () => {
    const again = Promise.withResolvers<void>();
    const model = scriptedModel([
      { text: "all dug" },
      async ({ messages }) => {
        expect(messages.at(-1)?.text).toContain("only when a person says so");
        await again.promise;
        return { text: "wait" };
      },
      { text: "dug after all" },
    ]);
    const { engine, id } = await left(model);
    await using _engine = engine;
    await expect.poll(() => model.requests.length).toBe(2);
    const [child] = (await engine.show(id)).children;
    await engine.engine.command(child ?? id, { type: "requeue", because: "retry", by: "ada" });
    again.resolve();
    expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "dug after all" });
    expect(factsOf(await engine.log(id), "child.ended")).toMatchObject([{ status: "completed" }]);
  });

  test("is not waited for by last words either", async () => {
    const model = scriptedModel([{ text: "so far" }]);
    const { engine, id } = await left(model, { maxTurns: 2 });
    await using _engine = engine;
    const { outcome } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "so far", recovered: { limit: "max_turns" } });
    const told = model.requests.at(-1)?.messages.map(({ text }) => text) ?? [];
    expect(told.join("\n")).toContain("only when a person says so");
    expect(told.at(-1)).not.toContain("Still running");
  });
});

test("what an agent was told of one child is known after the news of another", () => {
  const conversation = new Conversation();
  for (const child of ["task_one", "task_two"])
    conversation.add({ type: "instruction.added", because: "news", text: `- child (${child}): interrupted` });
  const known = ["one", "two", "three"].map((name) => conversation.isTold(brandId("task", name)));
  expect(known).toEqual([true, true, false]);
});
