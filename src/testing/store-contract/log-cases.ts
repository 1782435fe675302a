import assert from "node:assert/strict";
import { foldTask } from "../../domain/fold-task.ts";
import { CadreError } from "../../errors/index.ts";
import type { Store } from "../../ports/index.ts";
import { brandId, type Envelope } from "../../schema/index.ts";
import { storeCase } from "./contract-case.ts";
import { admitted, claimed, completed, reserve, running, someReservation, WORKER_A, WORKER_B } from "./given.ts";

const isCode = (code: string) => (error: unknown) => CadreError.isInstance(error) && error.code === code;

const said = (text: string) => ({ type: "message.said", text }) as const;

async function everything(store: Store, pageSize: number): Promise<Envelope[]> {
  const all: Envelope[] = [];
  for (let after = 0; ;) {
    const page = await store.read({ after, limit: pageSize });
    if (page.length === 0) return all;
    all.push(...page);
    after = page.at(-1)?.position ?? after;
  }
}

export const logCases = [
  storeCase("a worker that lost its task cannot write to it", async ({ store }) => {
    const old = await running(store);
    await store.interrupt(WORKER_A.id, "thought dead");
    await assert.rejects(store.append(old, [said("still here")]), isCode("attempt.stale"));
    await store.command(old.task, { type: "requeue", because: "retry", by: "tester" });
    await claimed(store, { worker: WORKER_B });
    await assert.rejects(store.append(old, [said("still here")]), isCode("attempt.stale"));
    await assert.rejects(store.regain(old, 10), isCode("attempt.stale"));
    await assert.rejects(reserve(store, old, someReservation(), { microUsd: 1, tokens: 1 }), isCode("attempt.stale"));
    assert.equal((await store.task(old.task))?.lastSaid, null);
  }),

  storeCase("the same worker's older attempt is as stale as another worker's", async ({ store }) => {
    const old = await running(store);
    await store.interrupt(WORKER_A.id, "thought dead");
    await store.command(old.task, { type: "requeue", because: "retry", by: "tester" });
    await claimed(store, { worker: WORKER_A });
    await assert.rejects(store.append(old, [said("an echo")]), isCode("attempt.stale"));
  }),

  storeCase("nothing is written to a task that has ended", async ({ store }) => {
    const hold = await running(store);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    await assert.rejects(store.append(hold, [said("one more thing")]), isCode("attempt.stale"));
  }),

  storeCase("several facts are written together or not at all", async ({ store }) => {
    const hold = await running(store);
    const before = await store.head();
    await assert.rejects(
      store.append(hold, [
        said("a"),
        { type: "attempt.suspended", on: "child" },
        { type: "task.ended", outcome: completed },
      ]),
    );
    assert.equal(await store.head(), before);
    assert.equal((await store.task(hold.task))?.status, "running");
    assert.equal((await store.task(hold.task))?.lastSaid, null);
  }),

  storeCase("streams are numbered without gaps, positions rise, and both survive paging", async ({ store }) => {
    const holds = [await running(store), await running(store), await running(store)];
    for (let round = 0; round < 10; round++)
      for (const hold of holds) await store.append(hold, [said(String(round)), said("b")]);
    const all = await everything(store, 7);
    assert.deepEqual(
      all.map(({ position }) => position),
      all.map(({ position }) => position).toSorted((a, b) => a - b),
    );
    assert.equal(new Set(all.map(({ position }) => position)).size, all.length);
    for (const { task } of holds) {
      const own = await store.read({ stream: `task:${task}`, after: 0, limit: 1000 });
      assert.deepEqual(
        own.map(({ seq }) => seq),
        own.map((_, index) => index + 1),
      );
      assert.deepEqual(
        own,
        all.filter(({ stream }) => stream === `task:${task}`),
      );
    }
    assert.equal(await store.head(), all.at(-1)?.position);
  }),

  storeCase("a reader's cursor never skips, however many write meanwhile", async ({ store, another }) => {
    const other = await another();
    const writers = await Promise.all(
      [0, 1, 2, 3].map(async (index) => ({ hold: await running(store), via: index % 2 === 0 ? store : other })),
    );
    const seen: string[] = [];
    const reader = (async () => {
      const reading = await another();
      for (let after = 0; seen.length < 200;) {
        const page = await reading.read({ after, limit: 3 });
        for (const { position, event } of page) {
          assert.ok(position > after, "positions rise");
          after = position;
          if (event.type === "message.said") seen.push(event.text);
        }
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all(
      writers.map(async ({ hold, via }) => {
        for (let n = 0; n < 50; n++) await via.append(hold, [said(`${hold.task} ${n}`)]);
      }),
    );
    await reader;
    assert.equal(new Set(seen).size, 200);
    for (const { hold } of writers) {
      const own = seen.filter((text) => text.startsWith(hold.task));
      assert.deepEqual(
        own,
        Array.from({ length: 50 }, (_, n) => `${hold.task} ${n}`),
      );
    }
  }),

  storeCase("the bell rings after every commit, and not after it was let go", async ({ store }) => {
    let rings = 0;
    const bell = store.subscribe(() => rings++);
    const task = await admitted(store);
    assert.ok(rings > 0, "admission rings");
    rings = 0;
    await store.command(task.id, { type: "stop", by: "tester" });
    assert.ok(rings > 0, "a command rings");
    bell[Symbol.dispose]();
    rings = 0;
    await admitted(store);
    assert.equal(rings, 0);
  }),

  storeCase("what the caller does to its objects afterwards changes nothing", async ({ store }) => {
    const hold = await running(store);
    const input = { path: "a" };
    const decision = { verdict: "allow", rule: "r" } as const;
    await store.append(hold, [
      { type: "tool.called", call: brandId("call", "1"), tool: "Read", effect: "read", input, of: null, decision },
    ]);
    input.path = "b";
    const log = await store.read({ stream: `task:${hold.task}`, after: 0, limit: 100 });
    const event = log.at(-1)?.event;
    assert.deepEqual(event?.type === "tool.called" && event.input, { path: "a" });
  }),

  storeCase("what the log says, folded from nothing, is what the store shows", async ({ store }) => {
    const parent = await running(store);
    const child = await running(store, { parent: parent.task, root: parent.task, depth: 1 });
    await store.append(child, [said("a"), { type: "attempt.suspended", on: "timer" }]);
    await store.regain(child, 10);
    await reserve(store, child, someReservation(), { microUsd: 5, tokens: 7 });
    await store.command(child.task, { type: "send", text: "x", by: "tester" });
    await store.append(child, [{ type: "task.ended", outcome: completed }]);
    await store.interrupt(WORKER_A.id, "killed");
    await store.command(parent.task, { type: "requeue", because: "retry", by: "tester" });
    const all = await everything(store, 100);
    for (const { task } of [parent, child]) assert.deepEqual(foldTask(task, all), await store.task(task));
  }),

  storeCase("session events go to their own stream in the same commit", async ({ store }) => {
    const hold = await running(store);
    const session = (await store.task(hold.task))?.spec.session;
    assert.ok(session !== undefined);
    const message = { role: "assistant", content: "done", task: hold.task } as const;
    await store.append(hold, [
      { type: "task.ended", outcome: completed },
      { type: "message.kept", session, message },
    ]);
    assert.deepEqual((await store.session(session))?.messages.at(-1), message);
    const log = await store.read({ stream: `session:${session}`, after: 0, limit: 100 });
    assert.deepEqual(
      log.map(({ event }) => event.type),
      ["session.opened", "message.kept", "message.kept"],
    );
  }),
];
