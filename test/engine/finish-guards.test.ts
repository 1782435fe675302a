// What the end of an attempt must not do, or must not leave out, in the moments in which something else happens, too.
import { describe, expect, test } from "vitest";
import type { AttemptScope } from "../../src/ports/index.ts";
import type { TaskId } from "../../src/schema/index.ts";
import { hangs, type Script, testWorld } from "../../src/testing/index.ts";
import { around, byAgent, factsOf, obeys, withWorker } from "./kit.ts";

const asks = (scope: AttemptScope) => scope.ask({ kind: "question", title: "May I?", body: "May I?" });

test("what an agent has just said is part of how it failed, before it is in the log", async () => {
  const gives: Script = async (_attempt, scope) => {
    scope.soon({ type: "message.said", text: "half of it is done" });
    return { kind: "failed", reason: "refused", message: "the model would not" };
  };
  await using engine = await withWorker([gives]);
  expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ answer: "half of it is done" });
});

test("a backend that ends while it still waits is not tried again: nobody knows what it waits for", async () => {
  const forgets: Script = async (_attempt, scope) => {
    void asks(scope).catch(() => undefined);
    await engine.world.clock.settle();
    return { kind: "answered", answer: "I did not wait" };
  };
  const agent = { retry: { attempts: 2, on: ["crashed" as const] } };
  await using engine = await withWorker([forgets], { agent });
  const { id } = await engine.start({ agent: "worker" });
  engine.work();
  const { outcome, attempts } = await engine.until(id, "failed");
  expect(outcome).toMatchObject({ message: "the backend ended while it still waited for something" });
  expect(attempts).toHaveLength(1);
});

test("a stop that comes while its worker is shut down stops the task", async () => {
  const world = testWorld();
  const engine = await withWorker([hangs()], { world });
  const { id } = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(id, "running");
  const closed = engine.engine.close();
  await world.clock.settle();
  expect(await world.store.command(id, { type: "stop", by: "ada" })).toMatchObject({ kind: "told" });
  await world.clock.advance(engine.engine.parts.settings.stopGraceMs);
  await closed;
  expect(await world.store.task(id)).toMatchObject({ status: "cancelled", outcome: { by: "ada", how: "forced" } });
});

describe("children of an attempt that does not complete", () => {
  const delegate = async (scope: AttemptScope): Promise<TaskId> => {
    const delegated = await scope.delegate({ agent: "worker", prompt: "help", background: true });
    if (delegated.kind === "refused") throw new Error(delegated.message);
    return delegated.child;
  };
  /** All are of one agent: what was asked says which is which. */
  const many = (lead: Script) =>
    byAgent({
      worker: (attempt, scope) => (attempt.task.spec.prompt === "lead" ? lead : obeys)(attempt, scope),
    });

  test("are stopped, also one that was started in the moment before its end", async () => {
    const world = testWorld();
    let child: TaskId | undefined;
    const lead: Script = async () => ({ kind: "failed", reason: "refused", message: "no" });
    const between = around(world, {
      // As a `cadre` does that the agent has run.
      before: async (entries) => {
        const isEnd = entries.some((entry) => entry.type === "task.ended" && entry.outcome.status === "failed");
        if (!isEnd || child !== undefined) return;
        const origin = { mouth: "agent", by: id };
        const wish = { agent: "worker", prompt: "help", background: true, askable: "nobody", origin } as const;
        child = (await engine.engine.admit([wish], await engine.show(id)))[0]?.id;
      },
    });
    await using engine = await withWorker(many(lead), { world: between });
    const { id } = await engine.start({ agent: "worker", prompt: "lead" });
    engine.work();
    await engine.until(id, "failed");
    expect(child).toBeDefined();
    await engine.until(child ?? id, "cancelled");
  });

  test("are left to the next attempt where its worker was only thought dead", async () => {
    const world = testWorld();
    let child: TaskId | undefined;
    const lead: Script = async (attempt, scope) => {
      child ??= await delegate(scope);
      return obeys(attempt, scope);
    };
    await using engine = await withWorker(many(lead), { world });
    const { id } = await engine.start({ agent: "worker", prompt: "lead" });
    engine.work();
    await engine.until(id, "running");
    await expect.poll(() => child).toBeDefined();
    const { holder } = await engine.until(child ?? id, "running");
    await using other = await withWorker(many(obeys), { world });
    // The lead alone goes to another worker: what it had started is still wanted.
    const hold = { task: id, attempt: 1, worker: holder ?? ("" as never) };
    await world.store.append(hold, [{ type: "task.interrupted", why: "thought dead" }]);
    await other.engine.command(id, { type: "requeue", because: "retry", by: "ada" });
    other.work();
    await other.until(id, "running");
    await world.clock.settle();
    expect(await world.store.task(child ?? id)).toMatchObject({ status: "running", stopRequestedBy: null });
    expect(factsOf(await engine.log(id), "task.ended")).toEqual([]);
  });
});
