import { describe, expect, test } from "vitest";
import type { FailReason } from "../../src/schema/index.ts";
import { answers, registryOf, type Script, scriptedBackend, startEngine } from "../../src/testing/index.ts";
import { factsOf, withWorker } from "./kit.ts";

const fails =
  (reason: FailReason): Script =>
  async () => ({ kind: "failed", reason, message: `${reason}!` });
const retry = (attempts: number, ...on: ("backend_error" | "backend_unavailable" | "rate_limited" | "crashed")[]) => ({
  retry: { attempts, on },
});
const use = { tool: "Read", effect: "read", input: {} } as const;

describe("finish: retries", () => {
  test("a failure that the definition names is tried again, as a new attempt", async () => {
    const scripts = [fails("backend_error"), fails("crashed"), answers("at last")];
    await using engine = await withWorker(scripts, { agent: retry(3, "backend_error", "crashed") });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "at last" });
    expect(task.attempts).toMatchObject([
      { attempt: 1, end: "failed", reason: "backend_error" },
      { attempt: 2, end: "failed", reason: "crashed" },
      { attempt: 3, end: "completed", reason: null },
    ]);
    const requeued = { type: "task.requeued", backend: "scripted", because: "retry", by: "cadre" };
    expect(factsOf(await engine.log(task.id), "task.requeued")).toEqual([requeued, requeued]);
  });

  test("it is tried so often and no more, and the last failure is the task's", async () => {
    const scripts = [fails("crashed"), fails("crashed")];
    await using engine = await withWorker(scripts, { agent: retry(2, "crashed") });
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ status: "failed", outcome: { reason: "crashed" } });
    expect(task.attempts).toHaveLength(2);
  });

  const once: [what: string, reason: FailReason, agent: object][] = [
    ["a definition without retries", "crashed", {}],
    ["a failure that it does not name", "backend_error", retry(3, "crashed")],
    ["a refusal, which it cannot name", "refused", retry(3, "crashed", "backend_error")],
    ["a budget that is used up", "budget", retry(3, "crashed", "backend_error")],
  ];

  test.each(once)("%s is not tried again", async (_, reason, agent) => {
    await using engine = await withWorker([fails(reason)], { agent });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", reason });
    expect(task.attempts).toHaveLength(1);
  });

  test("the session and the parent hear of the task once, whatever it took", async () => {
    const tape = [{ delegate: "child", prompt: "help" }, { answer: "done" }];
    const registry = registryOf(
      { name: "lead", description: "Leads.", tape },
      { name: "child", description: "Helps.", backend: "scripted", ...retry(2, "crashed") },
    );
    const backends = [scriptedBackend([fails("crashed"), answers("at last")])];
    await using engine = await startEngine({ registry, backends });
    const lead = await engine.run({ agent: "lead" });
    const session = await engine.world.store.session(lead.spec.session);
    expect(session?.breadcrumbs).toMatchObject([{ status: "completed", summary: "at last" }]);
    expect(factsOf(await engine.log(lead.id), "child.ended")).toMatchObject([{ status: "completed" }]);
  });

  test("a retry waits for its turn like any other task: a more urgent one goes first", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const failsLater: Script = async () => {
      await promise;
      return { kind: "failed", reason: "crashed", message: "bang" };
    };
    const scripts = [failsLater, answers("urgent"), answers("at last")];
    await using engine = await withWorker(scripts, { agent: retry(2, "crashed"), settings: { maxConcurrent: 1 } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    const urgent = await engine.start({ agent: "worker", priority: 1 });
    resolve();
    expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "at last" });
    expect((await engine.until(urgent.id, "completed")).outcome).toMatchObject({ answer: "urgent" });
  });
});

describe("finish: failover", () => {
  const two = (first: Script, second: Script, agent: object = {}) => {
    const backends = [scriptedBackend([first], { name: "first" }), scriptedBackend([second], { name: "second" })];
    const registry = registryOf({ name: "worker", description: "Works.", backend: ["first", "second"], ...agent });
    return startEngine({ registry, backends });
  };

  test.each(["backend_unavailable", "rate_limited"] as const)(
    "the next backend takes over after %s",
    async (reason) => {
      await using engine = await two(fails(reason), answers("by the second"));
      const task = await engine.run({ agent: "worker" });
      expect(task).toMatchObject({ status: "completed", backend: "second", outcome: { answer: "by the second" } });
      expect(task.attempts.map(({ backend }) => backend)).toEqual(["first", "second"]);
      expect(factsOf(await engine.log(task.id), "task.requeued")).toMatchObject([
        { backend: "second", because: "failover" },
      ]);
    },
  );

  test.each(["backend_error", "crashed", "refused"] as const)(
    "no other backend takes over after %s",
    async (reason) => {
      await using engine = await two(fails(reason), answers("unreachable"));
      const task = await engine.run({ agent: "worker" });
      expect(task.outcome).toMatchObject({ status: "failed", reason });
    },
  );

  test("after the first tool call nobody takes over: a thing might be done twice", async () => {
    const half: Script = async (_attempt, scope) => {
      await scope.permit(use);
      return { kind: "failed", reason: "backend_unavailable", message: "gone" };
    };
    await using engine = await two(half, answers("unreachable"));
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({
      reason: "backend_unavailable",
      message: "gone",
    });
  });

  test("a call that was refused has done nothing, so the next backend takes over", async () => {
    const refused: Script = async (_attempt, scope) => {
      await scope.permit({ ...use, tool: "Bash" });
      return { kind: "failed", reason: "backend_unavailable", message: "gone" };
    };
    await using engine = await two(refused, answers("by the second"), { tools: ["Read"] });
    expect(await engine.run({ agent: "worker" })).toMatchObject({
      status: "completed",
      calls: { made: 0, refused: 1 },
    });
  });

  test("a backend that cannot be held to an agent's tools does not take over from one that can", async () => {
    const first = scriptedBackend([async () => ({ kind: "failed", reason: "backend_unavailable", message: "gone" })], {
      name: "first",
    });
    const second = scriptedBackend([answers("unreachable")], { name: "second", capabilities: { toolFilter: false } });
    const registry = registryOf({
      name: "worker",
      description: "Works.",
      backend: ["first", "second"],
      tools: ["Read"],
    });
    await using engine = await startEngine({ registry, backends: [first, second] });
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ status: "failed", spec: { backends: ["first"] } });
    expect(second.starts).toBe(0);
  });

  test("the last backend's failure is the task's", async () => {
    await using engine = await two(fails("backend_unavailable"), fails("rate_limited"));
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", reason: "rate_limited" });
    expect(task.attempts).toHaveLength(2);
  });
});
