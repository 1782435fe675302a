// Questions whose worker died: open ones are waited for again, and answers that nobody heard are taken, each once.
import { describe, expect, test } from "vitest";
import { LeftApprovals } from "../../src/engine/left-approvals.ts";
import type { AttemptScope, Question } from "../../src/ports/index.ts";
import { type Answer, type ApprovalView, brandId } from "../../src/schema/index.ts";
import { type Script, testWorld } from "../../src/testing/index.ts";
import { answerNext, factsOf, openQuestions, withWorker } from "./kit.ts";

const question: Question = { kind: "question", title: "?", body: "Which?" };
const write = { tool: "Write", effect: "write", path: "a.txt", input: { text: "a" } } as const;
const agent = { workspace: { allow_writes: true } };
const ONCE: Answer = { verdict: "allow", scope: "once" };

const doing =
  (work: (scope: AttemptScope) => Promise<string>): Script =>
  async (_attempt, scope) => ({ kind: "answered", answer: await work(scope) });

const asks = (...questions: readonly Question[]): Script =>
  doing(async (scope) => {
    const words: string[] = [];
    for (const one of questions) {
      const answer = await scope.ask(one);
      words.push(answer.verdict === "text" ? answer.text : answer.verdict);
    }
    return words.join(", ");
  });

const writes = doing(async (scope) => (await scope.permit(write)).decision.rule);

/** A task whose worker died while it waited for a person, and another worker, which goes on with it by `then`. */
async function left(first: Script, then: Script) {
  const world = testWorld();
  const dying = await withWorker([first], { world, agent });
  const engine = await withWorker([then], { world, agent });
  const { id } = await dying.start({ agent: "worker" });
  dying.work();
  const { approvals } = await dying.until(id, "waiting");
  dying.kill();
  engine.work();
  await engine.until(id, "interrupted");
  const goOn = async () => {
    await engine.engine.command(id, { type: "requeue", because: "retry", by: "ada" });
    await world.clock.settle();
  };
  return { engine, world, id, asked: approvals[0], goOn };
}

describe("a question that is still open when its task goes on", () => {
  test("is waited for again: the same one, with its time as it was, and once in the inbox", async () => {
    const { engine, world, id, asked, goOn } = await left(writes, writes);
    await using _engine = engine;
    await world.clock.advance(60_000);
    await goOn();
    const { approvals } = await engine.until(id, "waiting");
    expect(approvals).toEqual([asked]);
    expect(await world.store.inbox({ state: "waiting", limit: 9 })).toHaveLength(1);
    await answerNext(engine, id, ONCE);
    const done = await engine.until(id, "completed");
    expect(done.outcome).toMatchObject({ answer: "mode default: allowed by a person" });
    expect(done.approvals).toMatchObject([{ id: asked?.id, state: "applied" }]);
    expect(factsOf(await engine.log(id), "approval.asked")).toHaveLength(1);
  });

  test("whose time is over by then has no answer", async () => {
    const { engine, world, id, asked, goOn } = await left(asks(question), asks(question));
    await using _engine = engine;
    await world.clock.advance((asked?.expiresAt ?? 0) - world.clock.now() + 1);
    await goOn();
    const { outcome, approvals } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "deny" });
    expect(approvals).toMatchObject([{ state: "expired" }]);
  });

  test("is answered while the next attempt has not come to it", async () => {
    const door = Promise.withResolvers<void>();
    const late = doing(async (scope) => {
      await door.promise;
      return (await scope.permit(write)).kind;
    });
    const { engine, id, goOn } = await left(writes, late);
    await using _engine = engine;
    await goOn();
    await engine.until(id, "running");
    await answerNext(engine, id, ONCE);
    door.resolve();
    const { outcome, approvals } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: "allowed" });
    expect(approvals).toMatchObject([{ state: "applied", answer: ONCE }]);
  });

  test("and is not put again is closed with its task", async () => {
    const { engine, id, goOn } = await left(
      writes,
      doing(async () => "without it"),
    );
    await using _engine = engine;
    await goOn();
    expect((await engine.until(id, "completed")).approvals).toMatchObject([{ state: "expired" }]);
  });
});

describe("an answer that was given while nobody ran the task", () => {
  const given: [what: string, answer: Answer, then: string][] = [
    ["an allowance", ONCE, "mode default: allowed by a person"],
    ["a denial", { verdict: "deny" }, "mode default: denied by a person"],
    ["a denial with a note", { verdict: "deny", note: "not on a Friday" }, "mode default: not on a Friday"],
  ];

  test.each(given)("is taken by the next attempt: %s", async (_, answer, then) => {
    const { engine, id, goOn } = await left(writes, writes);
    await using _engine = engine;
    await answerNext(engine, id, answer);
    await goOn();
    const { outcome, approvals } = await engine.until(id, "completed");
    expect(outcome).toMatchObject({ answer: then });
    expect(approvals).toMatchObject([{ state: "applied", answer, by: "ada" }]);
    const log = await engine.log(id);
    expect(factsOf(log, "approval.asked")).toHaveLength(1);
    expect(factsOf(log, "approval.answered")).toMatchObject([{ answer, by: "ada" }]);
    expect(factsOf(log, "attempt.suspended")).toHaveLength(1); // nothing is waited for twice
  });

  test("for the whole task lets nothing through once that has ended before somebody heard it", async () => {
    const { engine, id, goOn } = await left(writes, writes);
    await using _engine = engine;
    await answerNext(engine, id, { verdict: "allow", scope: "task" });
    await engine.engine.stop(id, "ada");
    await engine.until(id, "cancelled");
    await goOn();
    expect(await openQuestions(engine, id)).toHaveLength(1);
    expect(factsOf(await engine.log(id), "tool.called")).toEqual([]);
  });

  test("for the whole task holds for other calls of it, too", async () => {
    const other = doing(async (scope) => (await scope.permit({ ...write, path: "b.txt", input: {} })).kind);
    const { engine, id, goOn } = await left(writes, other);
    await using _engine = engine;
    await answerNext(engine, id, { verdict: "allow", scope: "task" });
    await goOn();
    expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "allowed" });
  });

  test("is taken once: asked a second time, it is another question", async () => {
    const { engine, id, asked, goOn } = await left(asks(question), asks(question, question));
    await using _engine = engine;
    await answerNext(engine, id, { verdict: "text", text: "the first" });
    await goOn();
    const [open] = await openQuestions(engine, id);
    expect(open?.id).not.toBe(asked?.id);
    await answerNext(engine, id, { verdict: "text", text: "the second" });
    expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "the first, the second" });
  });

  test.each([
    ["of other words", { ...question, body: "Which, then?" }],
    ["of another title", { ...question, title: "!" }],
    ["of another kind", { ...question, kind: "tool" as const }],
  ])("is none to a question %s", async (_, other) => {
    const { engine, id, goOn } = await left(asks(question), asks(other));
    await using _engine = engine;
    await answerNext(engine, id, ONCE);
    await goOn();
    expect(await openQuestions(engine, id)).toMatchObject([other]);
  });
});

describe("of a question that was put several times", () => {
  const put = (name: string, state: ApprovalView["state"]): ApprovalView => ({
    id: brandId("appr", name),
    ...question,
    sha256: "x",
    rule: null,
    grants: [],
    expiresAt: null,
    state,
    answer: state === "open" || state === "expired" ? null : ONCE,
    by: null,
    askedAt: 1,
  });
  const taken = (...approvals: ApprovalView[]) => {
    const before = new LeftApprovals({ approvals });
    return approvals.map(() => before.take(approvals[0] as ApprovalView)?.id);
  };

  test.each(["applied", "expired"] as const)("no earlier answer is taken once the last was %s", (state) => {
    expect(taken(put("a", "answered"), put("b", state))).toEqual([undefined, undefined]);
  });

  test("each that was not heard is taken up, in order and once", () => {
    expect(taken(put("a", "applied"), put("b", "answered"), put("c", "open"))).toEqual(["appr_b", "appr_c", undefined]);
  });
});
