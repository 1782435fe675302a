import { describe, expect, test } from "vitest";
import { call, type Caller } from "../../src/operations/index.ts";
import { registryOf, startEngine, type TestEngine } from "../../src/testing/index.ts";
import { contextOf } from "./kit.ts";

const DAY_MS = 86_400_000;
const agents = registryOf(
  { name: "talker", description: "talks", tape: [{ say: "I think." }, { answer: "done" }] },
  { name: "lead", description: "leads", tape: [{ delegate: "talker", prompt: "help" }, { hang: true }] },
);

const as = (engine: TestEngine, caller: Partial<Caller> = {}) => contextOf(engine, caller);

describe("session.list", () => {
  test("has the last used first, with what it began with and how it goes", async () => {
    await using engine = await startEngine({ registry: agents });
    const first = await engine.run({ agent: "talker", prompt: "one" });
    await engine.world.clock.advance(1000);
    const second = await engine.run({ agent: "talker", prompt: "two" });
    await engine.world.clock.advance(1000);
    await engine.run({ agent: "talker", prompt: "more", session: first.spec.session });
    const { sessions, next } = await call("session.list", {}, as(engine));
    expect(sessions.map(({ id, about, tasks, messages, status }) => [id, about, tasks, messages, status])).toEqual([
      [first.spec.session, "one", 2, 4, "completed"],
      [second.spec.session, "two", 1, 2, "completed"],
    ]);
    expect(next).toBeNull();
    const page = await call("session.list", { limit: 1 }, as(engine));
    const rest = await call("session.list", { limit: 1, before: page.next ?? "" }, as(engine));
    expect(rest.sessions.map(({ id }) => id)).toEqual([second.spec.session]);
    expect((await call("session.list", { agent: "lead" }, as(engine))).sessions).toEqual([]);
  });

  test("shows an agent those of its children only, and says of any other that there is none", async () => {
    await using engine = await startEngine({ registry: agents });
    engine.work();
    const other = await engine.start({ agent: "talker" });
    const lead = await engine.start({ agent: "lead" });
    await engine.until(other.id, "completed");
    await expect.poll(async () => (await engine.show(lead.id)).children.length).toBe(1);
    const inside = await engine.show(lead.id);
    const { sessions } = await call("session.list", {}, as(engine, { inside, authority: "agent" }));
    expect(sessions.map(({ parent }) => parent)).toEqual([lead.spec.session]);
    for (const operation of ["session.get", "session.export"] as const) {
      await expect(call(operation, { session: other.spec.session }, as(engine, { inside }))).rejects.toMatchObject({
        code: "session.not-found",
        message: `there is no session "${other.spec.session}"`,
      });
    }
  });
});

describe("session.prune", () => {
  test("lets go of what was not used for so long, and of those that are named", async () => {
    await using engine = await startEngine({ registry: agents });
    const [old, young, named] = [
      await engine.run({ agent: "talker" }),
      await engine.run({ agent: "talker" }),
      await engine.run({ agent: "talker" }),
    ];
    await engine.world.clock.advance(DAY_MS / 2);
    await engine.run({ agent: "talker", session: young.spec.session });
    await engine.run({ agent: "talker", session: named.spec.session });
    await engine.world.clock.advance(DAY_MS / 2);
    expect(await call("session.prune", {}, as(engine))).toEqual({ pruned: [], kept: [] });
    expect(await call("session.prune", { unusedDays: 0.75 }, as(engine))).toEqual({
      pruned: [old.spec.session],
      kept: [],
    });
    expect(await call("session.prune", { sessions: [named.spec.session] }, as(engine))).toMatchObject({
      pruned: [named.spec.session],
    });
    const { sessions } = await call("session.list", {}, as(engine));
    expect(sessions.map(({ id }) => id)).toEqual([young.spec.session]);
    await expect(call("session.get", { session: old.spec.session }, as(engine))).rejects.toMatchObject({
      code: "session.not-found",
    });
  });

  test("keeps one that is in use, and says so", async () => {
    await using engine = await startEngine({ registry: agents });
    engine.work();
    const lead = await engine.start({ agent: "lead" });
    await engine.until(lead.id, "running");
    const sessions = [lead.spec.session];
    expect(await call("session.prune", { sessions }, as(engine))).toEqual({ pruned: [], kept: sessions });
  });

  test.each([
    [{ sessions: ["sess_none"] }, "session.not-found"],
    [{ sessions: [], unusedDays: 1 }, "input.invalid"],
    [{ unusedDays: -1 }, "input.invalid"],
  ])("%j is refused", async (input, code) => {
    await using engine = await startEngine({ registry: agents });
    await expect(call("session.prune", input, as(engine))).rejects.toMatchObject({ code });
  });
});

describe("session.export", () => {
  test("is a document for people, or all of it for programs", async () => {
    await using engine = await startEngine({ registry: agents });
    const { spec, id } = await engine.run({ agent: "talker", prompt: "one" });
    const document = await call("session.export", { session: spec.session }, as(engine));
    expect(document).toMatchObject({ format: "markdown", session: spec.session });
    expect(document.text).toMatch(/# Session[\s\S]*```text\none\n```[\s\S]*- said: I think\.[\s\S]*done/);
    const { text } = await call("session.export", { session: spec.session, format: "json" }, as(engine));
    const whole = JSON.parse(text) as { session: { id: string }; tasks: { task: { id: string }; events: unknown[] }[] };
    expect(whole.session.id).toBe(spec.session);
    expect(whole.tasks.map(({ task }) => task.id)).toEqual([id]);
    expect(whole.tasks[0]?.events.length).toBe((await engine.log(id)).length);
  });

  test("to a file is a person's", async () => {
    await using engine = await startEngine({ registry: agents });
    const { spec } = await engine.run({ agent: "talker" });
    const input = { session: spec.session, toFile: true };
    await expect(call("session.export", input, as(engine, { authority: "agent" }))).rejects.toMatchObject({
      code: "authority.denied",
    });
    expect((await call("session.export", input, as(engine))).text).toContain("# Session");
  });

  test("holds no secret that is known, whoever has said it", async () => {
    const secret = "sk-secret-0123456789";
    const registry = registryOf({
      name: "leaky",
      description: "d",
      tape: [{ say: `it is ${secret}` }, { answer: secret }],
    });
    const credentials = { known: () => [["API_KEY", secret]] as [string, string][] };
    await using engine = await startEngine({ registry, credentials });
    const { spec } = await engine.run({ agent: "leaky", prompt: `use ${secret}` });
    for (const format of ["markdown", "json"] as const) {
      const { text } = await call("session.export", { session: spec.session, format }, as(engine));
      expect(text).not.toContain(secret);
      expect(text).toContain("{{secret:API_KEY}}");
    }
  });
});
