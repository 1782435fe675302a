import { expect, test } from "vitest";
import { answers, testWorld } from "../../src/testing/index.ts";
import { answerNext, around, withWorker } from "./kit.ts";

test("two strands that listen at once hear each message once between them", async () => {
  let heard: string[] = [];
  await using engine = await withWorker([
    async (_attempt, scope) => {
      const both = await scope.together([() => scope.hear(), () => scope.hear()]);
      heard = both.flat().map(({ text }) => text);
      return { kind: "answered", answer: "done" };
    },
  ]);
  const task = await engine.start({ agent: "worker" });
  await engine.engine.command(task.id, { type: "send", text: "one", by: "ada" });
  engine.work();
  await engine.until(task.id, "completed");
  expect(heard).toEqual(["one"]);
});

test("messages that an attempt took from the log and was not given are heard by the next", async () => {
  const heard: string[] = [];
  await using engine = await withWorker(
    [
      async (_attempt, scope) => {
        heard.push((await scope.hearNext()).text);
        throw new Error("bang");
      },
      async (_attempt, scope) => {
        heard.push((await scope.hearNext()).text);
        return { kind: "answered", answer: "done" };
      },
    ],
    { agent: { retry: { attempts: 2, on: ["crashed"] } } },
  );
  const task = await engine.start({ agent: "worker" });
  for (const text of ["one", "two"]) await engine.engine.command(task.id, { type: "send", text, by: "ada" });
  engine.work();
  await engine.until(task.id, "completed");
  expect(heard).toEqual(["one", "two"]);
});

test("a message is heard, however many answers were given before it", async () => {
  await using engine = await withWorker([
    async (_attempt, scope) => {
      for (let index = 0; index < 100; index++) await scope.ask({ kind: "question", title: "?", body: "?" });
      return { kind: "answered", answer: (await scope.hearNext()).text };
    },
  ]);
  const task = await engine.start({ agent: "worker" });
  engine.work();
  for (let index = 0; index < 100; index++) await answerNext(engine, task.id, { verdict: "deny" });
  await engine.engine.command(task.id, { type: "send", text: "one", by: "ada" });
  expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "one" });
});

test("a message that is taken between the last look and the end of its task is said not to have been heard", async () => {
  const world = testWorld();
  let taken: unknown;
  const late = around(world, {
    before: async (entries) => {
      if (!entries.some(({ type }) => type === "task.ended")) return;
      taken = (await world.store.command(id, { type: "send", text: "and the cellar", by: "ada" })).kind;
    },
  });
  await using engine = await withWorker([answers("done")], { world: late });
  const { id } = await engine.start({ agent: "worker" });
  engine.work();
  const { unheard } = await engine.until(id, "completed");
  expect(taken).toBe("told");
  expect(unheard).toMatchObject([{ by: "ada", text: "and the cellar" }]);
});

test("so are messages to a task that is stopped while nobody runs it, and the inbox has it", async () => {
  const world = testWorld();
  await using engine = await withWorker([answers("done")], { world });
  const { id } = await engine.start({ agent: "worker" });
  await engine.engine.command(id, { type: "send", text: "and the cellar", by: "grace" });
  await engine.engine.stop(id, "ada");
  expect((await engine.show(id)).unheard).toMatchObject([{ by: "grace", text: "and the cellar" }]);
  expect(await world.store.inbox({ state: "unread", limit: 9 })).toMatchObject([
    { kind: "ended", summary: "a message from grace came too late to be heard: and the cellar; stopped by ada" },
  ]);
});
