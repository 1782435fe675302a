import assert from "node:assert/strict";
import type { TaskSpec, Writes } from "../../schema/index.ts";
import { storeCase } from "./contract-case.ts";
import { admitted, claimed, claimRequest, completed, WORKER_A, WORKER_B } from "./given.ts";

const writes = (...scopes: string[]): Partial<TaskSpec> & { writes: Writes } => ({
  writes: { place: "project", scopes },
});

export const writeCases = [
  storeCase(
    "a task waits while another writes where it would, and is claimed when that has ended",
    async ({ store }) => {
      await admitted(store, writes("src"));
      const second = await admitted(store, writes("src/parser"));
      const first = await claimed(store);
      assert.deepEqual(await store.claim(claimRequest({ worker: WORKER_B })), { kind: "held-back" });
      await store.append(first, [{ type: "attempt.suspended", on: "approval" }]);
      assert.deepEqual(await store.claim(claimRequest()), { kind: "held-back" }, "one that waits still writes");
      assert.equal(await store.regain(first, 10), true);
      await store.append(first, [{ type: "task.ended", outcome: completed }]);
      assert.equal((await claimed(store)).task, second.id);
    },
  ),

  storeCase("what is held back keeps nothing else from being claimed", async ({ store }) => {
    await admitted(store, writes("."));
    for (let task = 0; task < 5; task++) await admitted(store, { ...writes("docs"), priority: 9 });
    const apart = await admitted(store, { writes: { place: "sess_own", scopes: ["."] } });
    const reader = await admitted(store, { priority: 1 });
    const first = await claimed(store, {
      root: (await store.findTasks({ kind: "number", agent: "worker", number: 1 }))[0]?.id,
    });
    assert.equal((await claimed(store)).task, reader.id);
    assert.equal((await claimed(store)).task, apart.id);
    assert.deepEqual(await store.claim(claimRequest()), { kind: "held-back" });
    await store.append(first, [{ type: "task.ended", outcome: completed }]);
    assert.equal((await store.task((await claimed(store)).task))?.spec.priority, 9);
  }),

  storeCase("a child writes beside its parent, and waits for its brother", async ({ store }) => {
    const parent = await admitted(store, writes("src"));
    await claimed(store);
    const below = { ...writes("src"), parent: parent.id, root: parent.id, depth: 1 };
    const older = await admitted(store, below);
    const younger = await admitted(store, below);
    const stranger = await admitted(store, { ...writes("src"), priority: 5 });
    const child = await claimed(store);
    assert.equal(child.task, older.id);
    assert.deepEqual(await store.claim(claimRequest()), { kind: "held-back" });
    await store.append(child, [{ type: "task.ended", outcome: completed }]);
    assert.equal((await claimed(store)).task, younger.id);
    assert.equal((await store.task(stranger.id))?.status, "pending");
  }),

  storeCase("a worker that may collide is given everything", async ({ store }) => {
    await admitted(store, writes("."));
    const second = await admitted(store, writes("."));
    await claimed(store);
    assert.equal((await claimed(store, { mayCollide: true })).task, second.id);
  }),

  storeCase("a resident stays for what is held back", async ({ store }) => {
    await admitted(store, writes("."));
    await admitted(store, writes("."));
    await claimed(store);
    assert.equal(await store.moveIn(WORKER_A, null), true);
    assert.equal(await store.moveOut(claimRequest()), false);
  }),

  storeCase("what writes nowhere is never held back", async ({ store }) => {
    await admitted(store, writes("."));
    await claimed(store);
    const free = await admitted(store);
    assert.equal((await claimed(store)).task, free.id);
    assert.deepEqual(await store.claim(claimRequest()), { kind: "idle", until: null });
  }),
];
