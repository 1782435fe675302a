import { describe, expect, test } from "vitest";
import type { Question } from "../../src/ports/index.ts";
import type { Answer, Askable } from "../../src/schema/index.ts";
import { answers, type Script, testWorld } from "../../src/testing/index.ts";
import {
  answerNext,
  expectStatus,
  factsOf,
  mostComputing,
  openQuestions,
  typesOf,
  wholeLog,
  withWorker,
} from "./kit.ts";

const question: Question = { kind: "question", title: "Which one?", body: "The first\nor the second?" };

/** Asks, and keeps the answer. */
function asks(count = 1): { script: Script; given: Answer[] } {
  const given: Answer[] = [];
  return {
    given,
    script: async (_attempt, scope) => {
      for (let index = 0; index < count; index++) given.push(await scope.ask(question));
      return { kind: "answered", answer: "thank you" };
    },
  };
}

describe("approvals ⇄ inbox: asking", () => {
  test("a question is in the log, whole and with its hash, before the task waits for its answer", async () => {
    await using engine = await withWorker([asks().script]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const view = await engine.until(task.id, "waiting");
    expect(view.waitingOn).toBe("approval");
    const log = await engine.log(task.id);
    expect(typesOf(log).slice(-2)).toEqual(["approval.asked", "attempt.suspended"]);
    expect(factsOf(log, "approval.asked")[0]?.approval).toMatchObject({
      ...question,
      sha256: engine.world.mint.sha256(question.body),
    });
    expect(await engine.world.store.tasks({ asking: true, limit: 10 })).toEqual([view]);
    await answerNext(engine, task.id, { verdict: "text", text: "the second" });
    expect(await engine.world.store.tasks({ asking: true, limit: 10 })).toEqual([]);
  });

  test("a task that waits for an answer holds no slot: another one runs meanwhile", async () => {
    const { script, given } = asks();
    await using engine = await withWorker([script, answers("meanwhile")], { settings: { maxConcurrent: 1 } });
    const asking = await engine.start({ agent: "worker" });
    const other = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(asking.id, "waiting");
    await engine.until(other.id, "completed");
    await answerNext(engine, asking.id, { verdict: "allow", scope: "once" });
    await engine.until(asking.id, "completed");
    expect(given).toEqual([{ verdict: "allow", scope: "once" }]);
    expect(mostComputing(await wholeLog(engine.world))).toBe(1);
  });

  const given: [what: string, answer: Answer][] = [
    ["an allowance", { verdict: "allow", scope: "once" }],
    ["a denial", { verdict: "deny" }],
    ["a denial with a note", { verdict: "deny", note: "not on a Friday" }],
    ["words", { verdict: "text", text: "the second,\nplease" }],
  ];

  test.each(given)("%s reaches the agent as it was given, and the log says by whom", async (_, answer) => {
    const asking = asks();
    await using engine = await withWorker([asking.script]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await answerNext(engine, task.id, answer);
    const view = await engine.until(task.id, "completed");
    expect(asking.given).toEqual([answer]);
    expect(view.approvals).toMatchObject([{ state: "applied", answer, by: "ada" }]);
    expect(factsOf(await engine.log(task.id), "approval.answered")).toMatchObject([{ answer, by: "ada" }]);
  });

  test("the first answer counts, and a second one is refused", async () => {
    const asking = asks();
    await using engine = await withWorker([asking.script]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const [open] = await openQuestions(engine, task.id);
    if (open === undefined) throw new Error("nothing was asked");
    const command = { type: "answer", approval: open.id } as const;
    const both = await Promise.all([
      engine.engine.command(task.id, { ...command, answer: { verdict: "deny" }, by: "ada" }),
      engine.engine.command(task.id, { ...command, answer: { verdict: "allow", scope: "once" }, by: "grace" }),
    ]);
    expect(both).toMatchObject([
      { kind: "told" },
      { kind: "refused", refusal: { why: "approval-closed", state: "answered" } },
    ]);
    await engine.until(task.id, "completed");
    expect(asking.given).toEqual([{ verdict: "deny" }]);
  });
});

describe("approvals ⇄ inbox: nobody answers", () => {
  test.each(["inbox", "host"] as const)("a question to the %s expires, and the agent is told so", async (askable) => {
    const { script, given } = asks();
    await using engine = await withWorker([script], { settings: { approvalTimeoutMs: 60_000 } });
    const task = await engine.start({ agent: "worker", askable });
    engine.work();
    const view = await engine.until(task.id, "waiting");
    expect(view.approvals[0]?.expiresAt).toBe(engine.world.clock.now() + 60_000);
    await engine.world.clock.advance(59_999);
    await engine.until(task.id, "waiting");
    await engine.world.clock.advance(1);
    const done = await engine.until(task.id, "completed");
    expect(given).toEqual([{ verdict: "deny", note: "nobody answered in time" }]);
    expect(done.approvals).toMatchObject([{ state: "expired", answer: null }]);
    expect(typesOf(await engine.log(task.id))).toContain("approval.expired");
    const late = {
      type: "answer",
      approval: view.approvals[0]?.id ?? ("" as never),
      answer: { verdict: "deny" },
      by: "ada",
    } as const;
    expect(await engine.engine.command(task.id, late)).toMatchObject({ kind: "refused" });
  });

  test("a question to a person at the terminal does not expire", async () => {
    const { script, given } = asks();
    await using engine = await withWorker([script], { settings: { approvalTimeoutMs: 60_000 } });
    const task = await engine.start({ agent: "worker", askable: "terminal" });
    engine.work();
    await engine.world.clock.advance(24 * 60_000); // many times as long as one in the inbox would wait
    const view = await engine.until(task.id, "waiting");
    expect(view.approvals).toMatchObject([{ state: "open", expiresAt: null }]);
    await answerNext(engine, task.id, { verdict: "allow", scope: "once" });
    await engine.until(task.id, "completed");
    expect(given).toEqual([{ verdict: "allow", scope: "once" }]);
  });

  test("where nobody can be asked, the answer is no, at once and without a question in the log", async () => {
    const { script, given } = asks();
    await using engine = await withWorker([script]);
    const task = await engine.run({ agent: "worker", askable: "nobody" satisfies Askable });
    expect(given).toEqual([{ verdict: "deny", note: "nobody can be asked" }]);
    expect(task.approvals).toEqual([]);
    const types = typesOf(await engine.log(task.id));
    expect(types.filter((type) => type.startsWith("approval.") || type === "attempt.suspended")).toEqual([]);
  });

  test("the time that a person takes does not count against the task's own", async () => {
    const { script } = asks(3);
    await using engine = await withWorker([script], { agent: { timeout_mins: 1 } });
    const task = await engine.start({ agent: "worker", askable: "terminal" });
    engine.work();
    for (let index = 0; index < 3; index++) {
      await engine.world.clock.advance(3_600_000);
      await answerNext(engine, task.id, { verdict: "deny" });
    }
    await expectStatus(engine, task.id, "completed");
  });
});

describe("approvals ⇄ inbox: several at once", () => {
  test("two strands each ask and get their own answer, in whatever order they come", async () => {
    const twins: Script = async (_attempt, scope) => {
      const both = await scope.together(
        ["left", "right"].map((side) => async () => {
          const answer = await scope.ask({ kind: "question", title: side, body: side });
          return `${side}: ${answer.verdict === "text" ? answer.text : answer.verdict}`;
        }),
      );
      return { kind: "answered", answer: both.join(", ") };
    };
    await using engine = await withWorker([twins]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "waiting");
    const [left, right] = await openQuestions(engine, task.id);
    if (left === undefined || right === undefined) throw new Error("two questions were expected");
    const answer = (approval: typeof left, text: string) =>
      engine.engine.command(task.id, {
        type: "answer",
        approval: approval.id,
        answer: { verdict: "text", text },
        by: "ada",
      });
    await answer(right, "two");
    await engine.until(task.id, "waiting");
    expect(await openQuestions(engine, task.id)).toMatchObject([{ title: "left" }]);
    await answer(left, "one");
    expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "left: one, right: two" });
  });

  test("a task waits only when all of its strands do: one that computes keeps the slot", async () => {
    const computing = Promise.withResolvers<void>();
    const uneven: Script = async (_attempt, scope) => {
      await scope.together([async () => void (await scope.ask(question)), () => computing.promise]);
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([uneven, answers("other")], { settings: { maxConcurrent: 1 } });
    const task = await engine.start({ agent: "worker" });
    const other = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    expect(await openQuestions(engine, task.id)).toHaveLength(1);
    await engine.until(other.id, "pending");
    computing.resolve();
    await engine.until(task.id, "waiting");
    await engine.until(other.id, "completed");
    await answerNext(engine, task.id, { verdict: "deny" });
    await engine.until(task.id, "completed");
  });

  test("a strand that fails fails the whole, after the other has ended", async () => {
    const order: string[] = [];
    const broken: Script = async (_attempt, scope) => {
      await scope
        .together([
          () => Promise.reject(new Error("the left one broke")),
          async () => {
            await scope.ask(question);
            order.push("the right one ended");
          },
        ])
        .catch((error: unknown) => {
          order.push("the whole failed");
          throw error;
        });
      return { kind: "answered", answer: "unreachable" };
    };
    await using engine = await withWorker([broken]);
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "waiting");
    await answerNext(engine, task.id, { verdict: "deny" });
    expect((await engine.until(task.id, "failed")).outcome).toMatchObject({ message: "the left one broke" });
    expect(order).toEqual(["the right one ended", "the whole failed"]);
  });
});

describe("approvals ⇄ inbox: while something else happens", () => {
  test("an answer to an interrupted task is kept with who gave it, and starts nothing", async () => {
    const world = testWorld();
    const dying = await withWorker([asks().script], { world });
    await using engine = await withWorker([asks().script], { world });
    const task = await dying.start({ agent: "worker" });
    dying.work();
    await dying.until(task.id, "waiting");
    dying.kill();
    engine.work();
    await engine.until(task.id, "interrupted");
    await answerNext(engine, task.id, { verdict: "text", text: "the second" });
    const view = await engine.until(task.id, "interrupted");
    expect(view.attempts).toHaveLength(1);
    expect(view.approvals).toMatchObject([
      { state: "answered", answer: { verdict: "text", text: "the second" }, by: "ada" },
    ]);
  });

  const orders: [string, first: "answer" | "stop"][] = [
    ["an answer and then a stop", "answer"],
    ["a stop and then an answer", "stop"],
  ];

  test.each(orders)("%s in the same moment end the task, and nothing is left waiting", async (_, first) => {
    await using engine = await withWorker([asks().script, answers("next")], { settings: { maxConcurrent: 1 } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    const [open] = await openQuestions(engine, task.id);
    if (open === undefined) throw new Error("nothing was asked");
    const answer = () =>
      engine.engine.command(task.id, { type: "answer", approval: open.id, answer: { verdict: "deny" }, by: "ada" });
    const stop = () => engine.engine.stop(task.id, "ada");
    await Promise.all(first === "answer" ? [answer(), stop()] : [stop(), answer()]);
    await engine.world.clock.advance(2000);
    await engine.until(task.id, "cancelled");
    const next = await engine.start({ agent: "worker" });
    await expectStatus(engine, next.id, "completed");
  });
});
