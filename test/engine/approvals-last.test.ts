// How long a question and its answer last: over the end of an attempt, and not beyond that of its task.
import { expect, test } from "vitest";
import type { Script } from "../../src/testing/index.ts";
import { answerNext, openQuestions, typesOf, withWorker } from "./kit.ts";

const asks: Script = async (_attempt, scope) => {
  await scope.ask({ kind: "question", title: "?", body: "?" });
  return { kind: "answered", answer: "done" };
};
const write = { tool: "Write", effect: "write", path: "a.txt", input: {} } as const;
const agent = { workspace: { allow_writes: true } };

test("a question of a task that has ended is not in the inbox any more, and takes no answer", async () => {
  await using engine = await withWorker([asks]);
  const task = await engine.start({ agent: "worker" });
  engine.work();
  const [open] = await openQuestions(engine, task.id);
  if (open === undefined) throw new Error("nothing was asked");
  await engine.engine.stop(task.id, "ada");
  const view = await engine.until(task.id, "cancelled");
  expect(view.approvals.map(({ state }) => state)).toEqual(["expired"]);
  expect(await engine.world.store.tasks({ asking: true, limit: 9 })).toEqual([]);
  const answer = { type: "answer", approval: open.id, answer: { verdict: "deny" }, by: "ada" } as const;
  expect(await engine.engine.command(task.id, answer)).toMatchObject({ kind: "refused" });
});

test("a tool that was allowed for the task is not asked about again by the next attempt", async () => {
  const crashes: Script = async (_attempt, scope) => {
    await scope.permit(write);
    throw new Error("bang");
  };
  const uses: Script = async (_attempt, scope) => ({ kind: "answered", answer: (await scope.permit(write)).kind });
  const retry = { attempts: 2, on: ["crashed" as const] };
  await using engine = await withWorker([crashes, uses], { agent: { ...agent, retry } });
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await answerNext(engine, task.id, { verdict: "allow", scope: "task" });
  const view = await engine.until(task.id, "completed");
  expect(view).toMatchObject({ outcome: { answer: "allowed" }, attempts: [{}, {}] });
  expect(view.approvals).toHaveLength(1);
});

test("a backend that cannot wait is denied what would be asked, at once", async () => {
  let kind: string | undefined;
  await using engine = await withWorker(
    [
      async (_attempt, scope) => {
        kind = (await scope.permit(write)).kind;
        return { kind: "answered", answer: "done" };
      },
    ],
    { agent, capabilities: { approvals: false } },
  );
  const task = await engine.run({ agent: "worker" });
  expect(kind).toBe("refused");
  expect(task.approvals).toEqual([]);
  expect(typesOf(await engine.log(task.id))).not.toContain("attempt.suspended");
});
