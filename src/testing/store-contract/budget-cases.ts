import assert from "node:assert/strict";
import { storeCase } from "./contract-case.ts";
import {
  admission,
  admitted,
  claimed,
  completed,
  reserve,
  running,
  settle,
  someReservation,
  WORKER_A,
  WORKER_B,
} from "./given.ts";

const usd = (microUsd: number) => ({ microUsd, tokens: 0 });
const tokens = (count: number) => ({ microUsd: 0, tokens: count });

export const budgetCases = [
  storeCase("a reservation must fit the task and every task above it", async ({ store }) => {
    const limits = (await admitted(store)).spec.limits;
    const root = await running(store, { limits: { ...limits, budget: { microUsd: 100, tokens: null } } });
    const below = { parent: root.task, root: root.task, depth: 1 };
    const child = await running(store, { ...below, limits: { ...limits, budget: { microUsd: 80, tokens: null } } });
    assert.deepEqual(await reserve(store, child, someReservation(), usd(81)), {
      kind: "short",
      unit: "microUsd",
      left: 80,
      isBusy: false,
    });
    assert.equal((await reserve(store, root, someReservation(), usd(50)))?.kind, "reserved");
    assert.deepEqual(await reserve(store, child, someReservation(), usd(51)), {
      kind: "short",
      unit: "microUsd",
      left: 50,
      isBusy: true, // with the call above it
    });
    const held = someReservation();
    assert.equal((await reserve(store, child, held, usd(50)))?.kind, "reserved");
    await settle(store, child, held, usd(10));
    assert.deepEqual((await store.task(child.task))?.spent, usd(10));
    const reservation = someReservation();
    const whole = await reserve(store, child, reservation, "whole");
    assert.deepEqual(whole, { kind: "reserved", reservation, amount: usd(40) });
    assert.equal((await reserve(store, root, someReservation(), usd(1)))?.kind, "short");
  }),

  storeCase("what is reserved when an attempt ends counts as spent, up to the root", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const root = await running(store, { limits });
    const child = await running(store, { parent: root.task, root: root.task, depth: 1 });
    await reserve(store, child, someReservation(), { microUsd: 0, tokens: 60 });
    await store.append(child, [{ type: "task.ended", outcome: completed }]);
    assert.equal((await store.task(child.task))?.spent.tokens, 60);
    const short = await reserve(store, root, someReservation(), { microUsd: 0, tokens: 41 });
    assert.deepEqual(short, { kind: "short", unit: "tokens", left: 40, isBusy: false });
  }),

  storeCase("what does not fit is answered, and the rest is written in its order", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const hold = await running(store, { limits });
    const [first, second, third] = [someReservation(), someReservation(), someReservation()];
    const { task, reserved } = await store.append(hold, [
      { type: "turn.started", turn: 1 },
      { type: "reserve", reservation: first, amount: tokens(80), use: "call" },
      { type: "reserve", reservation: second, amount: tokens(30), use: "call" },
      { type: "settle", reservation: first, spent: tokens(50) },
      { type: "reserve", reservation: third, amount: tokens(50), use: "call" },
      { type: "turn.ended", turn: 1 },
    ]);
    assert.deepEqual(reserved, [
      { kind: "reserved", reservation: first, amount: tokens(80) },
      { kind: "short", unit: "tokens", left: 20, isBusy: true },
      { kind: "reserved", reservation: third, amount: tokens(50) },
    ]);
    assert.equal(task.turns, 1);
    assert.equal(task.spent.tokens, 50);
    const log = await store.read({ stream: `task:${hold.task}`, after: 0, limit: 100 });
    assert.deepEqual(
      log.slice(2).map(({ event }) => event.type),
      ["turn.started", "budget.reserved", "budget.settled", "budget.reserved", "turn.ended"],
    );
    assert.deepEqual(await store.task(hold.task), task);
  }),

  storeCase(
    "a turn begins with what is set aside for it, and not at all where that does not fit",
    async ({ store }) => {
      const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
      const hold = await running(store, { limits });
      const begins = { type: "turn.started", turn: 1 } as const;
      const wish = { type: "reserve", use: "call", begins } as const;
      const short = await store.append(hold, [{ ...wish, reservation: someReservation(), amount: tokens(101) }]);
      assert.equal(short.task.turns, 0);
      const begun = await store.append(hold, [{ ...wish, reservation: someReservation(), amount: tokens(100) }]);
      assert.equal(begun.task.turns, 1);
      const log = await store.read({ stream: `task:${hold.task}`, after: 0, limit: 100 });
      assert.deepEqual(
        log.slice(2).map(({ event }) => event.type),
        ["turn.started", "budget.reserved"],
      );
    },
  ),

  storeCase(
    "what is set aside instead of something takes its place in one go, and leaves it where it does not fit even so",
    async ({ store }) => {
      const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
      const root = await running(store, { limits });
      const child = await running(store, { parent: root.task, root: root.task, depth: 1 });
      const kept = someReservation();
      await reserve(store, child, kept, tokens(30), "later");
      const wish = { type: "reserve", use: "call", insteadOf: kept } as const;
      const insteadOf = async (amount: number) =>
        (await store.append(child, [{ ...wish, reservation: someReservation(), amount: tokens(amount) }])).reserved[0];
      assert.deepEqual(await insteadOf(101), { kind: "short", unit: "tokens", left: 100, isBusy: false });
      assert.equal((await reserve(store, root, someReservation(), tokens(71)))?.kind, "short");
      assert.equal((await reserve(store, root, someReservation(), tokens(70)))?.kind, "reserved");
      assert.equal((await insteadOf(30))?.kind, "reserved");
      await assert.rejects(insteadOf(1)); // it is given back already
      const log = await store.read({ stream: `task:${child.task}`, after: 0, limit: 100 });
      assert.deepEqual(
        log.slice(2).map(({ event }) => event.type),
        ["budget.reserved", "budget.settled", "budget.reserved"],
      );
    },
  ),

  storeCase(
    "what was never reserved, or is settled already, is not settled, and nothing else is written",
    async ({ store }) => {
      const hold = await running(store);
      const once = someReservation();
      await reserve(store, hold, once, { microUsd: 0, tokens: 1 });
      const head = await store.head();
      for (const reservation of [someReservation(), once]) {
        const settled = { type: "settle", reservation: once, spent: { microUsd: 0, tokens: 1 } } as const;
        const wrong = { type: "settle", reservation, spent: { microUsd: 0, tokens: 1 } } as const;
        await assert.rejects(store.append(hold, [{ type: "message.said", text: "a" }, settled, wrong]));
      }
      assert.equal(await store.head(), head);
    },
  ),

  storeCase("what is reserved under a name is not reserved under it again until it is settled", async ({ store }) => {
    const hold = await running(store);
    const wish = { type: "reserve", reservation: someReservation(), amount: tokens(1), use: "call" } as const;
    const settled = { type: "settle", reservation: wish.reservation, spent: tokens(1) } as const;
    await assert.rejects(store.append(hold, [wish, wish]));
    await store.append(hold, [wish]);
    const head = await store.head();
    await assert.rejects(store.append(hold, [{ type: "message.said", text: "a" }, wish]));
    assert.equal(await store.head(), head);
    await store.append(hold, [settled, wish]);
  }),

  storeCase(
    "after its end nothing is set aside for a task, or given back, and nothing of such a list is written",
    async ({ store }) => {
      const hold = await running(store);
      const open = someReservation();
      await reserve(store, hold, open, tokens(1));
      const end = { type: "task.ended", outcome: completed } as const;
      const head = await store.head();
      for (const late of [
        { type: "reserve", reservation: someReservation(), amount: tokens(1), use: "call" },
        { type: "settle", reservation: open, spent: tokens(1) },
      ] as const) {
        await assert.rejects(store.append(hold, [end, late]));
        assert.equal(await store.head(), head);
      }
    },
  ),

  storeCase("what is reserved when a worker dies counts as spent", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const hold = await running(store, { limits });
    await reserve(store, hold, someReservation(), { microUsd: 0, tokens: 70 });
    await store.interrupt(WORKER_A.id, "killed");
    assert.equal((await store.task(hold.task))?.spent.tokens, 70);
    // Nobody has said that it was so much.
    assert.equal((await store.task(hold.task))?.bound.tokens, 70);
    assert.equal((await store.task(hold.task))?.isCostKnown, true);
  }),

  storeCase("of what has no known price, nobody knows what it cost when a worker dies", async ({ store }) => {
    const hold = await running(store);
    const refused = someReservation();
    await reserve(store, hold, refused, { microUsd: null, tokens: 70 });
    await settle(store, hold, refused, tokens(0));
    assert.equal((await store.task(hold.task))?.isCostKnown, true);
    await reserve(store, hold, someReservation(), { microUsd: null, tokens: 70 });
    await store.interrupt(WORKER_A.id, "killed");
    const task = await store.task(hold.task);
    assert.deepEqual([task?.isCostKnown, task?.spent, task?.bound], [false, tokens(70), tokens(70)]);
  }),

  storeCase(
    "what is kept for later stays with its task when a worker dies, is given to the next, and costs nothing",
    async ({ store }) => {
      const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
      const before = await running(store, { limits });
      const reservation = someReservation();
      await reserve(store, before, reservation, tokens(70), "later");
      assert.equal((await reserve(store, before, someReservation(), tokens(40)))?.kind, "short");
      await store.interrupt(WORKER_A.id, "killed");
      await store.command(before.task, { type: "requeue", because: "recovery", by: "tester" });

      const hold = await claimed(store, { root: before.task });
      assert.equal((await reserve(store, hold, someReservation(), tokens(40)))?.kind, "short");
      const kept = await reserve(store, hold, someReservation(), tokens(1), "later", 0.25);
      assert.deepEqual(kept, { kind: "reserved", reservation, amount: tokens(70) });
      await settle(store, hold, reservation, tokens(0));
      assert.equal((await reserve(store, hold, someReservation(), tokens(40)))?.kind, "reserved");
      await reserve(store, hold, someReservation(), tokens(7), "later");
      await store.append(hold, [{ type: "task.ended", outcome: completed }]);
      assert.equal((await store.task(hold.task))?.spent.tokens, 40);
    },
  ),

  storeCase(
    "what was kept for later stays when a task is tried again, not when another backend takes over",
    async ({ store }) => {
      const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
      const first = await running(store, { limits });
      const requeued = { type: "task.requeued", backend: "tape", by: "tester" } as const;
      const reservation = someReservation();
      await reserve(store, first, reservation, tokens(70), "later");
      await store.append(first, [{ ...requeued, because: "retry" }]);
      const second = await claimed(store, { root: first.task });
      assert.equal((await reserve(store, second, someReservation(), tokens(40)))?.kind, "short");
      await store.append(second, [{ ...requeued, because: "failover" }]);
      const third = await claimed(store, { root: first.task });
      assert.equal((await reserve(store, third, someReservation(), tokens(40)))?.kind, "reserved");
      assert.equal((await store.task(first.task))?.spent.tokens, 0);
    },
  ),

  storeCase("what was kept for later is free again when a person tries another backend", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const first = await running(store, { limits });
    await reserve(store, first, someReservation(), tokens(70), "later");
    await store.interrupt(WORKER_A.id, "killed");
    await store.command(first.task, { type: "requeue", because: "retry", by: "tester", backend: "command" });
    const second = await claimed(store, { root: first.task, backends: ["command"] });
    const whole = await reserve(store, second, someReservation(), "whole");
    assert.deepEqual(whole?.kind === "reserved" && whole.amount?.tokens, 100);
  }),

  storeCase("what was given up for something is not settled once more, and nothing is written", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const hold = await running(store, { limits });
    const kept = someReservation();
    await reserve(store, hold, kept, tokens(30), "later");
    const head = await store.head();
    const instead = { type: "reserve", reservation: someReservation(), amount: tokens(10), use: "call" } as const;
    const entries = [
      { ...instead, insteadOf: kept },
      { type: "settle", reservation: kept, spent: tokens(0) },
    ] as const;
    await assert.rejects(store.append(hold, entries));
    assert.equal(await store.head(), head);
    assert.equal((await reserve(store, hold, someReservation(), tokens(90)))?.kind, "short");
  }),

  storeCase("what was kept for later is free again when a person ends the task that nobody runs", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const root = await running(store, { limits });
    await admitted(store, { parent: root.task, root: root.task, depth: 1 });
    const below = await claimed(store, { worker: WORKER_B, root: root.task });
    await reserve(store, below, someReservation(), tokens(70), "later");
    await store.interrupt(WORKER_B.id, "killed");
    assert.equal((await reserve(store, root, someReservation(), tokens(40)))?.kind, "short");
    await store.command(below.task, { type: "stop", by: "tester" });
    assert.equal((await reserve(store, root, someReservation(), tokens(40)))?.kind, "reserved");
  }),

  storeCase(
    "a root of a backend that cannot price a call sets its whole budget aside when it is admitted",
    async ({ store }) => {
      const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: 100, tokens: null } };
      const root = await running(store, { limits }, { reserve: "whole" });
      assert.deepEqual((await store.task(root.task))?.reserved?.amount, { microUsd: 100, tokens: 0 });
      const below = { parent: root.task, root: root.task, depth: 1 };
      assert.deepEqual(await store.admit([admission(below)]), {
        kind: "refused",
        index: 0,
        refusal: { why: "budget", unit: "microUsd", left: 0 },
      });
    },
  ),

  storeCase(
    "what is only under way beside it is waited for by a task: calls, and a whole that none above it has",
    async ({ store }) => {
      const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
      const root = await running(store, { limits });
      const below = { parent: root.task, root: root.task, depth: 1 };
      const [first, second] = [await running(store, below), await running(store, below)];
      const isBusy = async (hold: typeof root) => {
        const answer = await reserve(store, hold, someReservation(), "whole", "whole");
        return answer?.kind === "short" && answer.isBusy;
      };
      const call = someReservation();
      await reserve(store, first, call, tokens(100));
      assert.equal(await isBusy(second), true);
      const waiting = await admitted(store, below);
      await settle(store, first, call, tokens(10));

      const whole = someReservation();
      assert.equal((await reserve(store, first, whole, "whole", "whole"))?.kind, "reserved");
      assert.equal(await isBusy(second), true);
      assert.equal(await isBusy(root), true);
      assert.equal(await isBusy(first), false); // it would wait for itself
      assert.equal((await store.admit([admission(below)])).kind, "admitted");
      const belowFirst = { parent: first.task, root: root.task, depth: 2 };
      assert.deepEqual(await store.admit([admission(belowFirst)]), {
        kind: "refused",
        index: 0,
        refusal: { why: "budget", unit: "tokens", left: 0 },
      });

      await settle(store, first, whole, tokens(90));
      assert.equal(await isBusy(second), false); // it is used up
      assert.equal((await store.admit([admission(below)])).kind, "refused");
      await store.command(waiting.id, { type: "stop", by: "tester" });
    },
  ),

  storeCase("below one that has the whole, calls are waited for, and no other whole", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const root = await running(store, { limits });
    const below = { parent: root.task, root: root.task, depth: 1 };
    const call = someReservation();
    await reserve(store, root, call, tokens(40));
    const first = await running(store, below);
    const second = await running(store, below);
    await reserve(store, first, someReservation(), "whole", "whole");
    await settle(store, root, call, tokens(0));
    const child = await running(store, { parent: first.task, root: root.task, depth: 2 });
    const again = someReservation();
    await reserve(store, root, again, tokens(40));
    const isBusy = async () => {
      const answer = await reserve(store, child, someReservation(), tokens(10));
      return answer?.kind === "short" && answer.isBusy;
    };
    assert.equal(await isBusy(), true);
    await settle(store, root, again, tokens(0));
    await reserve(store, second, someReservation(), "whole", "whole");
    assert.equal(await isBusy(), false);
  }),

  storeCase("the whole of no limit is no amount", async ({ store }) => {
    const hold = await running(store);
    const reservation = someReservation();
    const whole = await reserve(store, hold, reservation, "whole");
    assert.deepEqual(whole, { kind: "reserved", reservation, amount: null });
  }),

  storeCase("nothing is kept for later where nothing above it has a limit", async ({ store }) => {
    const root = await running(store);
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const below = await running(store, { parent: root.task, root: root.task, depth: 1 });
    const head = await store.head();
    const reservation = someReservation();
    const kept = await reserve(store, below, reservation, tokens(70), "later");
    assert.deepEqual(kept, { kind: "reserved", reservation, amount: null });
    assert.equal(await store.head(), head);

    const limited = await running(store, { limits });
    const belowLimit = await running(store, { parent: limited.task, root: limited.task, depth: 1 });
    const needed = await reserve(store, belowLimit, reservation, tokens(70), "later");
    assert.deepEqual(needed, { kind: "reserved", reservation, amount: tokens(70) });
  }),

  storeCase("a share is of what is left to all above it, and never more than was asked for", async ({ store }) => {
    const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
    const root = await running(store, { limits });
    const below = await running(store, { parent: root.task, root: root.task, depth: 1 });
    const wish = { microUsd: 7, tokens: 70 };
    const reservation = someReservation();
    const kept = await reserve(store, below, reservation, wish, "later", 0.25);
    assert.deepEqual(kept, { kind: "reserved", reservation, amount: { microUsd: 7, tokens: 25 } });
    assert.equal((await reserve(store, root, someReservation(), tokens(76)))?.kind, "short");
    const less = await reserve(store, root, reservation, tokens(10), "later", 0.25);
    assert.deepEqual(less, { kind: "reserved", reservation, amount: tokens(10) });
  }),
];
