// Who sees what waits, and who may say that it was read.
import { describe, expect, test } from "vitest";
import { call, type Caller } from "../../src/operations/index.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { registryOf, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { contextOf } from "./kit.ts";

const agents = registryOf(
  { name: "talker", description: "talks", tape: [{ answer: "done" }] },
  { name: "asker", description: "asks", tape: [{ ask: "May I?" }, { answer: "thanks" }] },
  {
    name: "lead",
    description: "leads",
    tape: [{ delegate: "reviewer", prompt: "look" }, { hang: true }],
  },
  { name: "reviewer", description: "reviews", tape: [{ answer: "it is fine" }] },
);

const MODEL = { authority: "agent", mouth: "mcp", by: "host" } as const;

const list = (engine: TestEngine, caller: Partial<Caller> = {}, input = {}) =>
  call("inbox.list", input, contextOf(engine, caller));
const acknowledge = (engine: TestEngine, caller: Partial<Caller>, input: object) =>
  call("inbox.acknowledge", input, contextOf(engine, caller));

const ranBy = (engine: TestEngine, origin: { mouth: string; by: string }): Promise<TaskView> =>
  engine.run({ agent: "talker", origin });

describe("inbox.list", () => {
  test("shows ended work with its summary and where its transcript is, and nothing of it once it was read", async () => {
    await using engine = await startEngine({ registry: agents });
    const { id, spec } = await engine.run({ agent: "talker" });
    const { items } = await list(engine);
    expect(items).toMatchObject([{ kind: "ended", task: id, session: spec.session, summary: "done", asked: null }]);
    expect(await acknowledge(engine, {}, { all: true })).toEqual({ read: items.map((item) => item.id) });
    expect((await list(engine)).items).toEqual([]);
    expect((await list(engine, {}, { state: "all" })).items).toMatchObject([{ task: id, read: { by: "tester" } }]);
  });

  test("has what is asked, whole, until it is answered", async () => {
    await using engine = await startEngine({ registry: agents });
    engine.work();
    const { id } = await engine.start({ agent: "asker" });
    await engine.until(id, "waiting");
    const [item, ...more] = (await list(engine)).items;
    expect(more).toEqual([]);
    expect(item).toMatchObject({ kind: "question", isOpen: true, asked: { state: "open", body: "May I?" } });
    await acknowledge(engine, {}, { items: [item?.id] });
    expect((await list(engine)).items).toMatchObject([{ isOpen: true }]);
    expect((await list(engine, {}, { state: "unread" })).items).toEqual([]);
    const answer = { verdict: "text", text: "yes" } as const;
    await call("approval.answer", { approval: item?.approval ?? "", answer }, contextOf(engine, {}));
    await engine.until(id, "completed");
    expect((await list(engine)).items.map(({ kind }) => kind)).toEqual(["ended"]);
  });

  test("goes on where a page ends", async () => {
    await using engine = await startEngine({ registry: agents });
    for (const _ of [1, 2, 3]) await engine.run({ agent: "talker" });
    const first = await list(engine, {}, { limit: 2 });
    const second = await list(engine, {}, { limit: 2, before: first.next });
    expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null]);
    expect(new Set([...first.items, ...second.items].map(({ task }) => task)).size).toBe(3);
  });

  test("shows an agent only what is below it", async () => {
    await using engine = await startEngine({ registry: agents });
    engine.work();
    const other = await engine.start({ agent: "talker" });
    const lead = await engine.start({ agent: "lead" });
    await engine.until(other.id, "completed");
    await engine.until(lead.id, "running");
    const inside = await engine.show(lead.id);
    await expect.poll(async () => (await list(engine)).items.length).toBe(2);
    const { items } = await list(engine, { inside, authority: "agent" });
    expect(items).toMatchObject([{ kind: "review", agent: "reviewer", summary: "it is fine" }]);
    await expect(acknowledge(engine, { inside }, { items: ["item_1"] })).rejects.toMatchObject({
      code: "input.invalid",
    });
    const all = await acknowledge(engine, { inside, authority: "agent", by: lead.id }, { all: true });
    expect(all.read).toEqual(items.map(({ id }) => id));
    expect((await list(engine)).items).toMatchObject([{ task: other.id, read: null }]);
  });
});

describe("inbox.acknowledge", () => {
  test("a program says it only of what it has started itself", async () => {
    await using engine = await startEngine({ registry: agents });
    const own = await ranBy(engine, { mouth: "mcp", by: "host" });
    const others = await ranBy(engine, { mouth: "cli", by: "ada" });
    const { items } = await list(engine, MODEL);
    const foreign = items.find(({ task }) => task === others.id)?.id;
    await expect(acknowledge(engine, MODEL, { items: [foreign] })).rejects.toMatchObject({ code: "authority.denied" });
    const { read } = await acknowledge(engine, MODEL, { all: true });
    expect(read).toEqual([items.find(({ task }) => task === own.id)?.id]);
    expect((await list(engine)).items).toMatchObject([{ task: others.id, read: null }]);
    expect((await acknowledge(engine, {}, { all: true })).read).toEqual([foreign]);
  });

  test("of a task takes all that came of it and of what is below it", async () => {
    await using engine = await startEngine({ registry: agents });
    const one = await engine.run({ agent: "talker" });
    await engine.run({ agent: "talker" });
    expect((await acknowledge(engine, {}, { root: one.id })).read).toHaveLength(1);
    expect((await list(engine)).items).toHaveLength(1);
  });

  test.each([[{}], [{ all: true, items: [] }], [{ items: ["appr_1"] }], [{ items: ["item_404"] }]])(
    "%j is refused",
    async (input) => {
      await using engine = await startEngine({ registry: agents });
      await expect(acknowledge(engine, {}, input)).rejects.toMatchObject({ code: "input.invalid" });
    },
  );
});
