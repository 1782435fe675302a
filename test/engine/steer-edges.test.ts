import { expect, test } from "vitest";
import { answerNext, withWorker } from "./kit.ts";

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
