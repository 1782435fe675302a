// Sessions: going on with one, beginning a new one from it, and letting go of those that nobody uses.
import { describe, expect, test } from "vitest";
import type { SessionMessage, TaskView } from "../../src/schema/index.ts";
import { registryOf, type Script, scriptedBackend, startEngine } from "../../src/testing/index.ts";
import { byAgent, door, withWorker } from "./kit.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Answers with what it was told of before. */
const tellsHistory: Script = async ({ history }) => ({
  kind: "answered",
  answer: ["heard", ...contents(history)].join("|"),
});
const contents = (messages: readonly SessionMessage[]): string[] => messages.map(({ content }) => content);
const answerOf = ({ outcome }: TaskView): string | null => outcome?.answer ?? null;

describe("what an agent is told of its session", () => {
  test("is what was said in earlier tasks, and not its own prompt", async () => {
    await using engine = await withWorker([tellsHistory, tellsHistory]);
    const first = await engine.run({ agent: "worker", prompt: "one" });
    const second = await engine.run({ agent: "worker", prompt: "two", session: first.spec.session });
    expect([answerOf(first), answerOf(second)]).toEqual(["heard", "heard|one|heard"]);
  });

  test("is cut to as many messages as the settings say, the newest of them", async () => {
    await using engine = await withWorker([tellsHistory, tellsHistory, tellsHistory], { settings: { maxHistory: 3 } });
    const { session } = (await engine.run({ agent: "worker", prompt: "one" })).spec;
    await engine.run({ agent: "worker", prompt: "two", session });
    const third = await engine.run({ agent: "worker", prompt: "three", session });
    expect(answerOf(third)).toBe("heard|heard|two|heard|one|heard");
  });

  test("is cut to as many tokens as the settings say, whatever runs it", async () => {
    const talks: Script = async () => ({ kind: "answered", answer: "long ".repeat(100) });
    await using engine = await withWorker([talks, tellsHistory], { settings: { maxContextTokens: 40 } });
    const { session } = (await engine.run({ agent: "worker", prompt: "one" })).spec;
    const second = await engine.run({ agent: "worker", prompt: "two", session });
    expect(answerOf(second)).toMatch(/^heard\|(long )+lo?n?g?\n\(the rest is left out\)$/);
    expect(answerOf(second)?.length).toBeLessThan(40 * 3 + "heard|".length);
  });
});

describe("a fork", () => {
  test("knows what was said, and leaves the session to the task that is in it", async () => {
    const busy = door();
    await using engine = await withWorker([tellsHistory, busy.script, tellsHistory]);
    const first = await engine.run({ agent: "worker", prompt: "one" });
    engine.work();
    const second = await engine.start({ agent: "worker", prompt: "two", session: first.spec.session });
    await engine.until(second.id, "running");
    await expect(engine.start({ agent: "worker", session: first.spec.session })).rejects.toMatchObject({
      code: "session.busy",
      hint: expect.stringContaining("--fork"),
    });
    const fork = await engine.start({ agent: "worker", prompt: "three", session: first.spec.session, fork: true });
    expect(fork.spec.session).not.toBe(first.spec.session);
    expect(answerOf(await engine.until(fork.id, "completed"))).toBe("heard|one|heard");
    expect((await engine.world.store.session(fork.spec.session))?.forkOf).toBe(first.spec.session);
    busy.open();
    await engine.until(second.id, "completed");
  });

  test("needs a session, and one that is there", async () => {
    await using engine = await withWorker([]);
    await expect(engine.start({ agent: "worker", fork: true })).rejects.toMatchObject({ code: "input.invalid" });
    const { mint } = engine.world;
    await expect(engine.start({ agent: "worker", fork: true, session: mint.id("sess") })).rejects.toMatchObject({
      code: "session.not-found",
    });
  });
});

describe("an agent that delegates into a session", () => {
  const registry = registryOf(
    { name: "lead", description: "d", backend: "scripted" },
    { name: "helper", description: "d", backend: "scripted" },
  );

  test("may go on with its own child's, and with no other: there it would hear what was said", async () => {
    const strangers: TaskView[] = [];
    const answers: string[] = [];
    const scripts = byAgent({
      helper: tellsHistory,
      lead: async (_attempt, scope) => {
        const own = await scope.delegate({ agent: "helper", prompt: "mine" });
        if (own.kind !== "started") throw new Error("nothing to go on with");
        const { spec } = await scope.outcomeOf(own.child);
        for (const session of [spec.session, ...strangers.map((task) => task.spec.session)]) {
          const again = await scope.delegate({ agent: "helper", prompt: "again", session });
          answers.push(again.kind === "refused" ? again.message : String(answerOf(await scope.outcomeOf(again.child))));
        }
        return { kind: "answered", answer: "led" };
      },
    });
    await using engine = await startEngine({ registry, backends: [scriptedBackend(scripts)] });
    const stranger = await engine.run({ agent: "helper", prompt: "a secret of another" });
    strangers.push(stranger);
    await engine.run({ agent: "lead" });
    expect(answers).toEqual(["heard|mine|heard", `there is no session "${stranger.spec.session}"`]);
  });
});

describe("a session that nobody has used for longer than sessions.expiry_days", () => {
  test("is let go when a worker starts, and the fact stands in the log", async () => {
    await using engine = await withWorker([tellsHistory, tellsHistory], { settings: { sessionExpiryDays: 7 } });
    const old = await engine.run({ agent: "worker", prompt: "old" });
    await engine.world.clock.advance(6 * DAY_MS);
    const young = await engine.run({ agent: "worker", prompt: "young" });
    expect((await engine.world.store.session(old.spec.session))?.expiredAt).toBeNull();
    await engine.world.clock.advance(2 * DAY_MS);
    await engine.engine.work({ dispatch: ["auto"], until: "idle" });
    const { store } = engine.world;
    expect(await store.session(old.spec.session)).toMatchObject({ messages: [], expiredAt: expect.any(Number) });
    expect((await store.session(young.spec.session))?.expiredAt).toBeNull();
    const log = await store.read({ stream: `session:${old.spec.session}`, after: 0, limit: 99 });
    expect(log.at(-1)?.event).toMatchObject({ type: "session.expired", by: "cadre" });
    await expect(engine.start({ agent: "worker", session: old.spec.session })).rejects.toMatchObject({
      code: "session.not-found",
    });
  });

  test("is let go by a worker that goes on living, within the hour", async () => {
    await using engine = await withWorker([tellsHistory], { settings: { sessionExpiryDays: 1 / 24 } });
    engine.work();
    const task = await engine.start({ agent: "worker" });
    await engine.until(task.id, "completed");
    await engine.world.clock.advance(2.5 * HOUR_MS);
    await engine.world.clock.settle();
    expect((await engine.world.store.session(task.spec.session))?.expiredAt).toEqual(expect.any(Number));
  });

  test("stays while a task of it waits for an answer, however long that takes", async () => {
    const asks: Script = async (_attempt, scope) => {
      await scope.ask({ kind: "question", title: "t", body: "b" });
      return { kind: "answered", answer: "a" };
    };
    const settings = { sessionExpiryDays: 1 / 24, timeoutMs: 100 * DAY_MS, maxRuntimeMins: 1_000_000 };
    await using engine = await withWorker([asks], { settings });
    engine.work();
    const task = await engine.start({ agent: "worker", askable: "terminal" });
    await engine.until(task.id, "waiting");
    await engine.world.clock.advance(3 * HOUR_MS);
    await engine.world.clock.settle();
    expect(await engine.world.store.session(task.spec.session)).toMatchObject({
      expiredAt: null,
      messages: [{ content: "do it" }],
    });
  });
});
