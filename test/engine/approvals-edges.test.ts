import { expect, test } from "vitest";
import type { Answer } from "../../src/schema/index.ts";
import { testWorld } from "../../src/testing/index.ts";
import { openQuestions, withWorker } from "./kit.ts";

test("an answer that was taken in time counts, although its news comes after the time", async () => {
  const world = testWorld();
  const subscribe = world.store.subscribe.bind(world.store);
  // As from another process: a bell that is a little late.
  world.store.subscribe = (ring) =>
    subscribe(() => void world.clock.sleep(20, new AbortController().signal).then(() => ring([])));
  const given: Answer[] = [];
  await using engine = await withWorker(
    [
      async (_attempt, scope) => {
        given.push(await scope.ask({ kind: "question", title: "?", body: "?" }));
        return { kind: "answered", answer: "done" };
      },
    ],
    { world },
  );
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await world.clock.advance(1000);
  const [open] = await openQuestions(engine, task.id);
  if (open === undefined) throw new Error("nothing was asked");
  await world.clock.advance((open.expiresAt ?? 0) - world.clock.now() - 10);
  const answer = { type: "answer", approval: open.id, answer: { verdict: "allow", scope: "once" }, by: "ada" } as const;
  expect(await engine.engine.command(task.id, answer)).toMatchObject({ kind: "told" });
  await world.clock.advance(1000);
  expect(given).toEqual([{ verdict: "allow", scope: "once" }]);
});
