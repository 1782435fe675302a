// Answers of people that come just when nobody looks, or just before a worker dies.
import { describe, expect, test } from "vitest";
import type { Answer, ApprovalId, TaskId } from "../../src/schema/index.ts";
import { type Script, testWorld, type TestWorld } from "../../src/testing/index.ts";
import { answerNext, around, door, openQuestions, typesOf, withWorker } from "./kit.ts";

const ONCE: Answer = { verdict: "allow", scope: "once" };
const agent = { workspace: { allow_writes: true } };
const write = { tool: "Write", effect: "write", path: "a.txt", input: { text: "a" } } as const;

const asks: Script = async (_attempt, scope) => {
  const answer = await scope.ask({ kind: "question", title: "?", body: "Which?" });
  return { kind: "answered", answer: answer.verdict };
};
const writes: Script = async (_attempt, scope) => ({ kind: "answered", answer: (await scope.permit(write)).kind });

const give = (world: TestWorld, task: TaskId, approval: ApprovalId) =>
  world.store.command(task, { type: "answer", approval, answer: ONCE, by: "ada" });

describe("an answer that is taken from a person", () => {
  test("counts where its question's time was up, and its task still waited for a slot", async () => {
    const world = testWorld();
    const busy = door();
    const settings = { maxConcurrent: 1 };
    await using engine = await withWorker([asks, busy.script], { world, settings });
    const { id } = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(id, "waiting");
    const [open] = await openQuestions(engine, id);
    if (open === undefined) throw new Error("nothing was asked");
    await world.clock.advance((open.expiresAt ?? 0) - world.clock.now() - 1_000);
    const other = await engine.start({ agent: "worker" });
    await engine.until(other.id, "running");
    await world.clock.advance(60_000);
    expect(await give(world, id, open.id)).toMatchObject({ kind: "told" });
    busy.open();
    const { outcome, approvals } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "allow" });
    expect(approvals).toMatchObject([{ state: "applied", answer: ONCE, by: "ada" }]);
    expect(typesOf(await engine.log(id))).not.toContain("approval.expired");
  });

  test("counts where it comes between the last look and what is written of it", async () => {
    const world = testWorld();
    let given: unknown;
    const late = around(world, {
      before: async (entries) => {
        const expired = entries.find((entry) => entry.type === "approval.expired");
        if (expired !== undefined) given ??= (await give(world, id, expired.approval)).kind;
      },
    });
    await using engine = await withWorker([asks], { world: late });
    const { id } = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(id, "waiting");
    await world.clock.advance(engine.engine.parts.settings.approvalTimeoutMs);
    const { outcome, approvals } = await engine.until(id, "completed");
    expect(given).toBe("told");
    expect(outcome).toMatchObject({ answer: "allow" });
    expect(approvals).toMatchObject([{ state: "applied", answer: ONCE, by: "ada" }]);
  });

  test("is in the log with the call that it lets through: no worker dies between the two", async () => {
    const batches: string[][] = [];
    const world = around(testWorld(), { after: (entries) => void batches.push(entries.map(({ type }) => type)) });
    await using engine = await withWorker([writes], { world, agent });
    const { id } = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, id, ONCE);
    await engine.until(id, "completed");
    expect(batches).toContainEqual(["approval.answered", "tool.called"]);
  });
});
