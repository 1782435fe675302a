import { describe, expect, test } from "vitest";
import type { AttemptScope, Delegated, Delegation } from "../../src/ports/index.ts";
import type { Settings } from "../../src/domain/limits.ts";
import type { TaskView } from "../../src/schema/index.ts";
import { answers, registryOf, type Script, scriptedBackend, startEngine } from "../../src/testing/index.ts";
import { byAgent, door, expectStatus, factsOf, mostComputing, obeys, typesOf, wholeLog } from "./kit.ts";

const registry = registryOf(
  { name: "lead", description: "Leads.", backend: "scripted" },
  { name: "child", description: "Helps.", backend: "scripted" },
  {
    name: "picky",
    description: "Helps.",
    backend: "scripted",
    inputs: [{ name: "file", required: true }, { name: "line" }],
  },
);

const family = (lead: Script, child: Script, settings: Partial<Settings> = {}) =>
  startEngine({ registry, settings, backends: [scriptedBackend(byAgent({ lead, child, picky: child }))] });

async function started(scope: AttemptScope, request: Partial<Delegation> = {}) {
  const delegated = await scope.delegate({ agent: "child", prompt: "help me", ...request });
  if (delegated.kind === "refused") throw new Error(delegated.message);
  return delegated.child;
}

describe("delegate: in the foreground", () => {
  test("the parent waits without a slot, and is given the child as it ended", async () => {
    let outcome: TaskView | undefined;
    const lead: Script = async (_attempt, scope) => {
      outcome = await scope.outcomeOf(await started(scope));
      return { kind: "answered", answer: "thanks" };
    };
    await using engine = await family(lead, answers("here you are", { pages: 3 }), { maxConcurrent: 1 });
    const task = await engine.run({ agent: "lead" });
    expect(outcome?.outcome).toMatchObject({ status: "completed", answer: "here you are", output: { pages: 3 } });
    expect(outcome?.spec).toMatchObject({
      prompt: "help me",
      parent: task.id,
      root: task.id,
      depth: 1,
      background: false,
    });
    expect(mostComputing(await wholeLog(engine.world))).toBe(1);
    expect(typesOf(await engine.log(task.id)).slice(3)).toEqual([
      "child.started",
      "attempt.suspended",
      "attempt.resumed",
      "child.ended",
      "attempt.ended",
      "task.ended",
    ]);
    expect(factsOf(await engine.log(task.id), "child.ended")).toEqual([
      { type: "child.ended", child: outcome?.id, status: "completed", summary: "here you are" },
    ]);
  });

  test("a child that fails is an outcome for its parent, not a failure of it", async () => {
    const lead: Script = async (_attempt, scope) => {
      const { status, outcome } = await scope.outcomeOf(await started(scope));
      return { kind: "answered", answer: `${status}: ${outcome?.status === "failed" && outcome.reason}` };
    };
    await using engine = await family(lead, () => Promise.reject(new Error("bang")));
    expect((await engine.run({ agent: "lead" })).outcome).toMatchObject({
      status: "completed",
      answer: "failed: crashed",
    });
  });

  test("a child that had ended before anybody waited is there at once", async () => {
    const lead: Script = async (_attempt, scope) => {
      const child = await started(scope);
      await engine.world.clock.settle();
      return { kind: "answered", answer: (await scope.outcomeOf(child)).status };
    };
    await using engine = await family(lead, answers("quick"));
    const task = await engine.start({ agent: "lead" });
    engine.work();
    await engine.world.clock.settle();
    expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "completed" });
  });

  test("several children run at the same time, and each is given to the strand that waits for it", async () => {
    const doors = [door(), door(), door()];
    let next = 0;
    const child: Script = (attempt, scope) => {
      const own = doors[next++];
      if (own === undefined) throw new Error("three children were expected");
      return own.script(attempt, scope);
    };
    const lead: Script = async (_attempt, scope) => {
      const children = await scope.together(
        ["a", "b", "c"].map((prompt) => async () => scope.outcomeOf(await started(scope, { prompt }))),
      );
      return { kind: "answered", answer: children.map(({ spec }) => spec.prompt).join(" ") };
    };
    await using engine = await family(lead, child);
    const task = await engine.start({ agent: "lead" });
    engine.work();
    await engine.until(task.id, "waiting");
    expect(await engine.world.store.tasks({ parent: task.id, status: ["running"], limit: 9 })).toHaveLength(3);
    for (const one of doors.toReversed()) one.open();
    expect((await engine.until(task.id, "completed")).outcome).toMatchObject({ answer: "a b c" });
  });
});

describe("delegate: in the background", () => {
  test("the parent goes on at once, and the child goes on after it", async () => {
    const { script, open } = door();
    const lead: Script = async (_attempt, scope) => {
      await started(scope, { background: true });
      return { kind: "answered", answer: "I do not wait" };
    };
    await using engine = await family(lead, script);
    const task = await engine.start({ agent: "lead" });
    engine.work();
    const { children } = await engine.until(task.id, "completed");
    const child = await engine.until(children[0] ?? task.id, "running");
    expect(child.spec.background).toBe(true);
    expect(factsOf(await engine.log(task.id), "child.started")).toMatchObject([{ agent: "child", background: true }]);
    expect(typesOf(await engine.log(task.id))).not.toContain("attempt.suspended");
    open();
    await engine.until(child.id, "completed");
    const session = await engine.world.store.session(task.spec.session);
    expect(session?.breadcrumbs, "also after its parent has ended").toMatchObject([
      { task: child.id, summary: "done" },
    ]);
  });
});

describe("delegate: refused", () => {
  const wishes: [what: string, wish: Delegation, message: string][] = [
    ["an agent that there is not", { agent: "chlid", prompt: "help" }, 'there is no agent called "chlid"'],
    [
      "an agent that is misspelt",
      { agent: "chld", prompt: "help" },
      'there is no agent called "chld" (did you mean "child"?)',
    ],
    ["an empty prompt", { agent: "child", prompt: " " }, "the prompt is empty"],
    ["missing inputs", { agent: "picky", prompt: "help" }, 'inputs of "picky": "file" is missing'],
  ];

  test.each(wishes)("%s is an answer that the agent can act on", async (_, wish, message) => {
    let given: Delegated | undefined;
    const lead: Script = async (_attempt, scope) => {
      given = await scope.delegate(wish);
      await scope.outcomeOf(await started(scope));
      return { kind: "answered", answer: "found another way" };
    };
    await using engine = await family(lead, answers("done"));
    const task = await engine.run({ agent: "lead" });
    expect(given).toEqual({ kind: "refused", message });
    expect(task).toMatchObject({ status: "completed", children: [expect.any(String)] });
  });

  test("so are a tree that is deep enough, and one that is full", async () => {
    const given: Delegated[] = [];
    const lead: Script = async (_attempt, scope) => {
      given.push(
        await scope.delegate({ agent: "child", prompt: "one" }),
        await scope.delegate({ agent: "child", prompt: "two" }),
      );
      return { kind: "answered", answer: "done" };
    };
    await using shallow = await family(lead, answers("done"), { maxDepth: 0 });
    await shallow.run({ agent: "lead" });
    expect(given.splice(0)).toMatchObject([{ kind: "refused" }, { kind: "refused" }]);
    await using small = await family(lead, answers("done"), { maxPerRoot: 2 });
    await small.run({ agent: "lead" });
    expect(given).toMatchObject([
      { kind: "started" },
      { kind: "refused", message: "this tree has its 2 tasks already" },
    ]);
  });
});

describe("delegate: what a child is given", () => {
  test("it acts for its parent, asks whom its parent may ask, and its session hangs below its parent's", async () => {
    const lead: Script = async (_attempt, scope) => {
      await scope.outcomeOf(await started(scope, { agent: "picky", inputs: { file: "a.ts" } }));
      return { kind: "answered", answer: "done" };
    };
    await using engine = await family(lead, answers("done"));
    const task = await engine.run({ agent: "lead", askable: "terminal" });
    const child = await engine.show(task.children[0] ?? task.id);
    expect(child.spec).toMatchObject({
      askable: "terminal",
      origin: { mouth: "agent", by: task.id },
      inputs: { file: "a.ts" },
      session: expect.not.stringMatching(task.spec.session),
    });
    expect((await engine.world.store.session(child.spec.session))?.parent).toBe(task.spec.session);
  });

  test("where nobody can be asked, the child can ask nobody either", async () => {
    const answer: string[] = [];
    const child: Script = async (_attempt, scope) => {
      answer.push((await scope.ask({ kind: "question", title: "?", body: "?" })).verdict);
      return { kind: "answered", answer: "done" };
    };
    const lead: Script = async (_attempt, scope) => {
      await scope.outcomeOf(await started(scope));
      return { kind: "answered", answer: "done" };
    };
    await using engine = await family(lead, child);
    await engine.run({ agent: "lead", askable: "nobody" });
    expect(answer).toEqual(["deny"]);
  });
});

describe("delegate: a parent that ends first", () => {
  test("the child of a parent that is stopped is stopped, and leaves its breadcrumb", async () => {
    const lead: Script = async (_attempt, scope) => {
      await scope.outcomeOf(await started(scope));
      return { kind: "answered", answer: "unreachable" };
    };
    await using engine = await family(lead, obeys);
    const task = await engine.start({ agent: "lead" });
    engine.work();
    const { children } = await engine.until(task.id, "waiting");
    await engine.until(children[0] ?? task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.until(task.id, "cancelled");
    const child = await engine.until(children[0] ?? task.id, "cancelled");
    const session = await engine.world.store.session(task.spec.session);
    expect(session?.breadcrumbs).toMatchObject([{ task: child.id, status: "cancelled" }]);
  });

  test("the child of a parent that ran out of time is stopped", async () => {
    const lead: Script = async (attempt, scope) => {
      await started(scope, { background: true });
      return obeys(attempt, scope);
    };
    await using engine = await family(lead, obeys);
    const task = await engine.start({ agent: "lead", limits: { timeoutMs: 1000 } });
    engine.work();
    await engine.world.clock.advance(1000);
    const { children } = await engine.until(task.id, "failed");
    await expectStatus(engine, children[0] ?? task.id, "cancelled");
  });
});
