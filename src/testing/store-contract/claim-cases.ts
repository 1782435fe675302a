import assert from "node:assert/strict";
import { storeCase } from "./contract-case.ts";
import { admission, admitted, claimed, claimRequest, completed, running, WORKER_A, WORKER_B } from "./given.ts";

export const claimCases = [
  storeCase("a claim starts an attempt in the log before anything else happens", async ({ store }) => {
    const task = await admitted(store);
    const hold = await claimed(store);
    assert.deepEqual(hold, { task: task.id, attempt: 1, worker: WORKER_A.id });
    const view = await store.task(task.id);
    assert.equal(view?.status, "running");
    assert.equal(view?.attempts[0]?.tokenSha256, "hash");
    assert.deepEqual(await store.holders(), [WORKER_A]);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    assert.deepEqual(await store.holders(), []);
  }),

  storeCase("nobody claims what another has claimed", async ({ store, another }) => {
    const other = await another();
    for (let task = 0; task < 20; task++) await admitted(store);
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? store : other).claim(
          claimRequest({ worker: index % 2 === 0 ? WORKER_A : WORKER_B, maxConcurrent: 100 }),
        ),
      ),
    );
    const tasks = claims.flatMap((answer) =>
      answer.kind === "claimed" ? answer.claims.map(({ hold }) => hold.task) : [],
    );
    assert.equal(tasks.length, 20);
    assert.equal(new Set(tasks).size, 20);
  }),

  storeCase(
    "several are claimed at once, each with a token of its own, and what ends the list is said",
    async ({ store }) => {
      const tasks = [await admitted(store), await admitted(store), await admitted(store)];
      let tokens = 0;
      const request = claimRequest({ most: 2, tokenSha256: () => `hash ${++tokens}` });
      const first = await store.claim(request);
      assert.equal(first.kind === "claimed" && first.rest, null);
      const second = await store.claim(request);
      assert.deepEqual(second.kind === "claimed" && second.rest, { kind: "idle", until: null });
      const claims = [first, second].flatMap((answer) => (answer.kind === "claimed" ? answer.claims : []));
      assert.deepEqual(
        claims.map(({ task }) => [task.id, task.status, task.attempts[0]?.tokenSha256]),
        tasks.map(({ id }, index) => [id, "running", `hash ${index + 1}`]),
      );
      assert.equal(tokens, 3);
    },
  ),

  storeCase("what is admitted with a request is claimed in the same step", async ({ store }) => {
    const parent = await running(store);
    const below = { parent: parent.task, root: parent.task, depth: 1 };
    const given = [admission(below), admission(below)];
    const rung: string[][] = [];
    using _bell = store.subscribe((written) => rung.push(written.map(({ type }) => type)));
    const answer = await store.admit(given, parent, claimRequest({ most: 2 }));
    assert.equal(answer.kind, "admitted");
    assert.deepEqual(
      answer.claims.map(({ hold, task }) => [hold, task.status]),
      given.map(({ id }) => [{ task: id, attempt: 1, worker: WORKER_A.id }, "running"]),
    );
    for (const { task } of answer.claims) assert.deepEqual(await store.task(task.id), task);
    const types = rung.find((written) => written.length > 0) ?? [];
    assert.equal(types.filter((type) => type === "task.admitted" || type === "attempt.started").length, 4);
    assert.deepEqual(await store.claim(claimRequest()), { kind: "idle", until: null });
  }),

  storeCase("with a request, what comes first is claimed, as far as there are slots", async ({ store }) => {
    const parent = await running(store);
    const below = { parent: parent.task, root: parent.task, depth: 1 };
    const urgent = await admitted(store, { priority: 5 });
    const given = [admission(below), admission(below)];
    const answer = await store.admit(given, parent, claimRequest({ most: 2, maxConcurrent: 3 }));
    assert.equal(answer.kind, "admitted");
    assert.deepEqual(
      answer.claims.map(({ hold }) => hold.task),
      [urgent.id, given[0]?.id],
    );
    const none = await store.admit([admission(below)], parent, claimRequest({ maxConcurrent: 3 }));
    assert.deepEqual(none.kind === "admitted" && none.claims, []);
    const ended = { type: "task.ended", outcome: completed } as const;
    await store.append(parent, [ended]);
    const head = await store.head();
    await assert.rejects(store.admit([admission(below)], parent, claimRequest()));
    assert.equal((await store.admit([admission(below)], undefined, claimRequest())).kind, "refused");
    assert.equal(await store.head(), head, "nobody is given anything for what is refused");
  }),

  storeCase("of several, no more than there are slots", async ({ store }) => {
    for (let task = 0; task < 4; task++) await admitted(store);
    const answer = await store.claim(claimRequest({ most: 4, maxConcurrent: 2 }));
    assert.equal(answer.kind === "claimed" && answer.claims.length, 2);
    assert.deepEqual(answer.kind === "claimed" && answer.rest, { kind: "full" });
  }),

  storeCase("the more urgent task is claimed first, and among equals the older", async ({ store }) => {
    const old = await admitted(store);
    const newer = await admitted(store);
    const urgent = await admitted(store, { priority: 5 });
    const order = [await claimed(store), await claimed(store), await claimed(store)].map(({ task }) => task);
    assert.deepEqual(order, [urgent.id, old.id, newer.id]);
  }),

  storeCase("a worker is given only tasks whose secrets it has, by name and hash", async ({ store }) => {
    const needs = [
      { name: "KEY", sha256: "a".repeat(64) },
      { name: "OTHER_KEY", sha256: "b".repeat(64) },
    ];
    const task = await admitted(store, { needs });
    const free = await admitted(store);
    assert.equal((await claimed(store, { has: needs.slice(0, 1) })).task, free.id);
    const wrong = needs.map((need) => ({ ...need, sha256: "c".repeat(64) }));
    assert.deepEqual(await store.claim(claimRequest({ has: wrong })), { kind: "idle", until: null });
    assert.equal((await claimed(store, { has: needs.toReversed() })).task, task.id);
  }),

  storeCase("a task is not claimed before its time, and the claimer is told when that is", async ({ store, clock }) => {
    const due = clock.now() + 5000;
    const task = await admitted(store, { notBefore: due });
    assert.deepEqual(await store.claim(claimRequest()), { kind: "idle", until: due });
    await clock.advance(5000);
    assert.equal((await claimed(store)).task, task.id);
    assert.deepEqual(await store.claim(claimRequest()), { kind: "idle", until: null });
  }),

  storeCase("manual tasks, other trees and other backends are left alone", async ({ store }) => {
    const manual = await admitted(store, { dispatch: "manual" });
    assert.equal((await store.claim(claimRequest())).kind, "idle");
    assert.equal((await store.claim(claimRequest({ dispatch: ["manual"], backends: ["other"] }))).kind, "idle");
    const elsewhere = await admitted(store);
    assert.equal((await store.claim(claimRequest({ dispatch: ["manual"], root: elsewhere.id }))).kind, "idle");
    assert.equal((await claimed(store, { dispatch: ["manual"] })).task, manual.id);
  }),

  storeCase("no more attempts compute than the limit allows, over all handles", async ({ store, another }) => {
    const other = await another();
    for (let task = 0; task < 3; task++) await admitted(store);
    const first = await claimed(store, { maxConcurrent: 2 });
    await claimed(other, { maxConcurrent: 2, worker: WORKER_B });
    assert.deepEqual(await store.claim(claimRequest({ maxConcurrent: 2 })), { kind: "full" });
    await store.append(first, [{ type: "task.ended", outcome: completed }]);
    await claimed(other, { maxConcurrent: 2, worker: WORKER_B });
  }),

  storeCase("no more attempts start in a minute than the limit allows", async ({ store, clock }) => {
    for (let task = 0; task < 3; task++) await admitted(store);
    const start = clock.now();
    await claimed(store, { rateLimitPerMin: 2 });
    await clock.advance(10_000);
    await claimed(store, { rateLimitPerMin: 2 });
    const refused = await store.claim(claimRequest({ rateLimitPerMin: 2 }));
    assert.deepEqual(refused, { kind: "limited", until: start + 60_000 });
    await clock.advance(50_000);
    await claimed(store, { rateLimitPerMin: 2 });
  }),

  storeCase("waiting gives the slot back, and taking it again comes before new work", async ({ store }) => {
    const waiter = await running(store);
    await admitted(store);
    await admitted(store);
    assert.equal((await store.claim(claimRequest({ maxConcurrent: 1 }))).kind, "full");
    await store.append(waiter, [{ type: "attempt.suspended", on: "child" }]);
    const second = await claimed(store, { maxConcurrent: 1 });

    assert.equal(await store.regain(waiter, 1), false);
    await store.append(second, [{ type: "task.ended", outcome: completed }]);
    assert.equal((await store.claim(claimRequest({ maxConcurrent: 1 }))).kind, "full", "the slot is promised");
    assert.equal(await store.regain(waiter, 1), true);
    assert.equal((await store.task(waiter.task))?.status, "running");
    assert.equal(await store.regain(waiter, 1), true, "asking again changes nothing");
  }),

  storeCase("slots are given again in the order in which they were asked for", async ({ store }) => {
    const [first, second] = [await running(store), await running(store)];
    for (const hold of [first, second]) await store.append(hold, [{ type: "attempt.suspended", on: "timer" }]);
    const busy = await running(store);
    assert.equal(await store.regain(first, 1), false);
    assert.equal(await store.regain(second, 1), false);
    await store.append(busy, [{ type: "task.ended", outcome: completed }]);
    assert.equal(await store.regain(second, 1), false);
    assert.equal(await store.regain(first, 1), true);
  }),

  storeCase("a promise ends with the attempt that it was made to", async ({ store }) => {
    const waiter = await running(store);
    await store.append(waiter, [{ type: "attempt.suspended", on: "approval" }]);
    const busy = await running(store);
    assert.equal(await store.regain(waiter, 1), false);
    await store.append(busy, [{ type: "task.ended", outcome: completed }]);
    await store.append(waiter, [
      { type: "task.ended", outcome: { status: "cancelled", by: "x", how: "cooperative", answer: null } },
    ]);
    await admitted(store);
    await claimed(store, { maxConcurrent: 1 });
  }),

  storeCase("a worker that died leaves its tasks interrupted, and nobody else's", async ({ store }) => {
    const lost = await running(store);
    const waiting = await running(store);
    await store.append(waiting, [{ type: "attempt.suspended", on: "child" }]);
    const task = await admitted(store);
    await claimed(store, { worker: WORKER_B, root: task.id });
    const interrupted = await store.interrupt(WORKER_A.id, "killed");
    assert.deepEqual(interrupted.map(({ id }) => id).toSorted(), [lost.task, waiting.task].toSorted());
    assert.equal((await store.task(lost.task))?.status, "interrupted");
    assert.equal((await store.task(lost.task))?.interruption, "killed");
    assert.equal((await store.task(task.id))?.status, "running");
    assert.deepEqual(await store.holders(), [WORKER_B]);
    assert.deepEqual(await store.interrupt(WORKER_A.id, "again"), []);
  }),

  storeCase("a task that is queued again is a new attempt, with a higher fence", async ({ store }) => {
    const first = await running(store);
    await store.interrupt(WORKER_A.id, "killed");
    await store.command(first.task, { type: "requeue", because: "retry", by: "tester" });
    const second = await claimed(store, { worker: WORKER_B });
    assert.deepEqual(second, { task: first.task, attempt: 2, worker: WORKER_B.id });
  }),

  storeCase("a batch of admissions can be claimed one by one", async ({ store }) => {
    const batch = [admission(), admission(), admission()];
    await store.admit(batch);
    const order = [await claimed(store), await claimed(store), await claimed(store)].map(({ task }) => task);
    assert.deepEqual(
      order,
      batch.map(({ id }) => id),
    );
  }),

  storeCase("one worker at a time is the resident, and the quicker one wins", async ({ store, another }) => {
    const other = await another();
    assert.equal(await store.resident(), undefined);
    const [a, b] = await Promise.all([store.moveIn(WORKER_A, null), other.moveIn(WORKER_B, null)]);
    assert.equal(a, !b, "one of them, and only one");
    const first = await store.resident();
    const next = first?.id === WORKER_A.id ? WORKER_B : WORKER_A;
    assert.equal(await store.moveIn(next, next.id), false, "it is not the one that was thought to be there");
    assert.equal(await store.moveIn(next, first?.id ?? null), true);
    assert.deepEqual(await other.resident(), next);
  }),

  storeCase("the resident does not leave while there is something for it to do", async ({ store, clock }) => {
    await store.moveIn(WORKER_A, null);
    await admitted(store, { dispatch: "manual" });
    const later = await admitted(store, { notBefore: clock.now() + 1000 });
    assert.equal(await store.moveOut(claimRequest()), false, "a task that is due later is something to do");
    await store.command(later.id, { type: "stop", by: "tester" });
    assert.equal(
      await store.moveOut(claimRequest({ worker: WORKER_B })),
      true,
      "somebody else leaving changes nothing",
    );
    assert.deepEqual(await store.resident(), WORKER_A);
    assert.equal(await store.moveOut(claimRequest()), true, "manual tasks are not for it");
    assert.equal(await store.resident(), undefined);
  }),
];
