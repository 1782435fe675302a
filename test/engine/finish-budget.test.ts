import { describe, expect, test } from "vitest";
import { settledWords, spentWords } from "../../src/domain/cost-words.ts";
import type { Amount } from "../../src/schema/index.ts";
import { answers, registryOf, type Script, scriptedBackend, startEngine } from "../../src/testing/index.ts";
import { byAgent, factsOf, withWorker } from "./kit.ts";

const tokens = (count: number): Amount => ({ microUsd: 0, tokens: count });

describe("finish: settle budget, call by call", () => {
  test("each call is reserved before and settled after it, and the task shows what was spent", async () => {
    const spends: Script = async (_attempt, scope) => {
      for (const [guess, cost] of [
        [50, 30],
        [50, 45],
      ] as const) {
        const reservation = await scope.reserve(tokens(guess));
        if (reservation === false) throw new Error("it should fit");
        await scope.append({ type: "settle", reservation, spent: tokens(cost) });
      }
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([spends], { agent: { max_tokens: 100 } });
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ status: "completed", spent: tokens(75) });
    const log = await engine.log(task.id);
    expect(factsOf(log, "budget.reserved").map(({ amount }) => amount)).toEqual([tokens(50), tokens(50)]);
    expect(factsOf(log, "budget.settled")).toMatchObject([
      { reserved: tokens(50), spent: tokens(30) },
      { reserved: tokens(50), spent: tokens(45) },
    ]);
  });

  test("a call that does not fit is refused, and a smaller one that does is not", async () => {
    const fits: (boolean | string)[] = [];
    const tries: Script = async (_attempt, scope) => {
      for (const count of [80, 30, 20, 1]) fits.push((await scope.reserve(tokens(count))) !== false);
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([tries], { agent: { max_tokens: 100 } });
    await engine.run({ agent: "worker" });
    expect(fits).toEqual([true, false, true, false]);
  });

  test("a call that was never settled counts in full: it may have been made", async () => {
    const forgets: Script = async (_attempt, scope) => {
      await scope.reserve(tokens(60));
      return { kind: "answered", answer: "done" };
    };
    await using engine = await withWorker([forgets], { agent: { max_tokens: 100 } });
    expect((await engine.run({ agent: "worker" })).spent).toEqual(tokens(60));
  });

  test("money and tokens are both held to, whichever is short first", async () => {
    const tries: Script = async (_attempt, scope) => {
      const dear = await scope.reserve({ microUsd: 600_000, tokens: 1 });
      const long = await scope.reserve({ microUsd: 1, tokens: 600 });
      return { kind: "answered", answer: `${dear !== false} ${long !== false}` };
    };
    const scripts = [tries, tries];
    await using engine = await withWorker(scripts, { agent: { budget_usd: 0.5, max_tokens: 1000 } });
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ answer: "false true" });
    const limits = { budgetUsd: 5, maxTokens: 500 };
    await using other = await withWorker(scripts, { agent: { budget_usd: 1 } });
    expect((await other.run({ agent: "worker", limits })).outcome).toMatchObject({ answer: "true false" });
  });
});

describe("finish: settle budget, at the end", () => {
  const agent = { max_tokens: 100 };

  test("a backend that knows its usage at its end pays what it says", async () => {
    const script: Script = async () => ({ kind: "answered", answer: "done", spent: tokens(40) });
    await using engine = await withWorker([script], { agent, capabilities: { usage: "at-end" } });
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ spent: tokens(40), reserved: null });
    expect(factsOf(await engine.log(task.id), "budget.settled")).toMatchObject([
      { reserved: { microUsd: null, tokens: 100 }, spent: tokens(40) },
    ]);
  });

  test("also when it has failed", async () => {
    const script: Script = async () => ({ kind: "failed", reason: "backend_error", message: "no", spent: tokens(7) });
    await using engine = await withWorker([script], { agent, capabilities: { usage: "at-end" } });
    expect((await engine.run({ agent: "worker" })).spent).toEqual(tokens(7));
  });

  const silent: [how: string, script: Script][] = [
    ["says nothing of it", answers("done")],
    ["crashes", () => Promise.reject(new Error("bang"))],
  ];

  test.each(silent)("a backend that %s has spent all that was set aside", async (_, script) => {
    await using engine = await withWorker([script], { agent, capabilities: { usage: "none" } });
    const task = await engine.run({ agent: "worker" });
    expect(task).toMatchObject({ spent: tokens(100), reserved: null });
  });

  test("what it spent of money that nobody limits and nobody counts is not known", async () => {
    const script: Script = async () => ({ kind: "answered", answer: "done", spent: { microUsd: null, tokens: 40 } });
    await using priceless = await withWorker([script], { agent, capabilities: { usage: "at-end" } });
    expect(await priceless.run({ agent: "worker" })).toMatchObject({ spent: tokens(40), isCostKnown: false });
    await using mute = await withWorker([answers("done")], { agent, capabilities: { usage: "none" } });
    const task = await mute.run({ agent: "worker" });
    expect(task).toMatchObject({ spent: tokens(100), bound: tokens(100), isCostKnown: false });
    expect(spentWords(task)).toBe("at most 100 tokens, unknown");
  });

  describe("where nothing is limited", () => {
    const told: [how: string, script: Script, spent: object, words: string][] = [
      [
        "says what it took",
        async () => ({ kind: "answered", answer: "a", spent: tokens(40) }),
        tokens(40),
        "40 tokens, -",
      ],
      ["does not say it", answers("a"), tokens(0), "unknown"],
      [
        "was not there",
        async () => ({ kind: "failed", reason: "backend_unavailable", message: "no" }),
        tokens(0),
        "nothing",
      ],
    ];

    test.each([
      ["untold", "unknown"],
      ["none", "nothing"],
    ] as const)("a backend of usage %s", async (usage, words) => {
      await using engine = await withWorker([answers("a")], { capabilities: { usage } });
      expect(spentWords(await engine.run({ agent: "worker" }))).toBe(words);
    });

    test.each(told)("a backend that %s", async (_, script, spent, words) => {
      await using engine = await withWorker([script], { capabilities: { usage: "at-end" } });
      const task = await engine.run({ agent: "worker" });
      expect(task).toMatchObject({ spent, bound: tokens(0) });
      expect(spentWords(task)).toBe(words);
    });
  });

  test("where only money is limited, nobody knows how many tokens a silent backend took", async () => {
    const inMoney = { agent: { budget_usd: 5 }, capabilities: { usage: "none" } } as const;
    await using engine = await withWorker([answers("done")], inMoney);
    const task = await engine.run({ agent: "worker" });
    expect(spentWords(task)).toBe("unknown tokens, at most $5.0000");
    const [settled] = factsOf(await engine.log(task.id), "budget.settled");
    expect(settled && settledWords(settled)).toBe("spent at most $5.0000");
  });

  test("what is left after one attempt is set aside for the next", async () => {
    const script: Script = async () => ({ kind: "failed", reason: "backend_error", message: "no", spent: tokens(30) });
    const retry = { attempts: 2, on: ["backend_error" as const] };
    await using engine = await withWorker([script, script], {
      agent: { ...agent, retry },
      capabilities: { usage: "at-end" },
    });
    const task = await engine.run({ agent: "worker" });
    expect(task.spent).toEqual(tokens(60));
    const settled = factsOf(await engine.log(task.id), "budget.settled").map(({ reserved }) => reserved);
    expect(settled).toEqual([
      { microUsd: null, tokens: 100 },
      { microUsd: null, tokens: 70 },
    ]);
  });

  test("where nothing is left, the next attempt fails without being run", async () => {
    const retry = { attempts: 2, on: ["crashed" as const] };
    const scripts: Script[] = [() => Promise.reject(new Error("bang"))];
    await using engine = await withWorker(scripts, { agent: { ...agent, retry }, capabilities: { usage: "at-end" } });
    const task = await engine.run({ agent: "worker" });
    expect(task.attempts).toHaveLength(2);
    expect(task.outcome).toMatchObject({ reason: "budget", message: "nothing of the budget is left" });
  });

  test("a task that is stopped before it ran has spent nothing", async () => {
    await using engine = await withWorker([], { agent, capabilities: { usage: "at-end" } });
    const task = await engine.start({ agent: "worker" });
    await engine.engine.stop(task.id, "ada");
    expect(await engine.show(task.id)).toMatchObject({ status: "cancelled", spent: tokens(0), reserved: null });
  });
});

describe("finish: the budget of a tree", () => {
  test("what a child spends is its parent's to pay, and the parent shows only its own", async () => {
    const left: boolean[] = [];
    const spend = async (scope: Parameters<Script>[1], count: number) => {
      const reservation = await scope.reserve(tokens(count));
      if (reservation !== false) await scope.append({ type: "settle", reservation, spent: tokens(count) });
      return reservation !== false;
    };
    const backend = scriptedBackend(
      byAgent({
        lead: async (_attempt, scope) => {
          left.push(await spend(scope, 10));
          const delegated = await scope.delegate({ agent: "child", prompt: "help" });
          if (delegated.kind === "started") await scope.outcomeOf(delegated.child);
          left.push(await spend(scope, 31), await spend(scope, 30));
          return { kind: "answered", answer: "done" };
        },
        child: async (_attempt, scope) => {
          left.push(await spend(scope, 91), await spend(scope, 60));
          return { kind: "answered", answer: "done" };
        },
      }),
    );
    const registry = registryOf(
      { name: "lead", description: "Leads.", backend: "scripted", max_tokens: 100 },
      { name: "child", description: "Helps.", backend: "scripted" },
    );
    await using engine = await startEngine({ registry, backends: [backend] });
    const lead = await engine.run({ agent: "lead" });
    expect(left, "10 fit, 91 of 90 do not, 60 do, 31 of 30 do not, 30 do").toEqual([true, false, true, false, true]);
    expect(lead.spent).toEqual(tokens(40));
    expect((await engine.show(lead.children[0] ?? lead.id)).spent).toEqual(tokens(60));
  });

  test("a child is held to its own budget too", async () => {
    await using engine = await startEngine({
      registry: registryOf(
        {
          name: "lead",
          description: "Leads.",
          max_tokens: 100,
          tape: [{ delegate: "child", prompt: "go" }, { answer: "done" }],
        },
        { name: "child", description: "Helps.", max_tokens: 20, tape: [{ spend: tokens(21) }, { answer: "done" }] },
      ),
    });
    const lead = await engine.run({ agent: "lead" });
    expect((await engine.show(lead.children[0] ?? lead.id)).outcome).toMatchObject({
      status: "failed",
      reason: "budget",
    });
    expect(lead.status).toBe("completed");
  });
});
