import assert from "node:assert/strict";
import type { Hold, Store } from "../../ports/index.ts";
import { brandId } from "../../schema/index.ts";
import { storeCase } from "./contract-case.ts";
import { admitted, completed, running } from "./given.ts";

const approval = {
  id: brandId("appr", "1"),
  kind: "tool",
  title: "t",
  body: "b",
  sha256: "s",
  rule: null,
  grants: [] as string[],
  expiresAt: null,
} as const;
const yes = { verdict: "allow", scope: "once" } as const;

const asks = (store: Store, hold: Hold) => store.append(hold, [{ type: "approval.asked", approval }]);

export const controlCases = [
  storeCase("stopping a task that nobody holds ends it at once", async ({ store }) => {
    const task = await admitted(store);
    const answer = await store.command(task.id, { type: "stop", by: "tester" });
    assert.equal(answer.kind, "done");
    const view = await store.task(task.id);
    assert.deepEqual(view?.outcome, { status: "cancelled", by: "tester", how: "unstarted", answer: null });
  }),

  storeCase("stopping a task that is held tells its worker, and writes nothing in its stream", async ({ store }) => {
    const hold = await running(store);
    const before = await store.read({ stream: `task:${hold.task}`, after: 0, limit: 100 });
    const answer = await store.command(hold.task, { type: "stop", by: "tester" });
    assert.equal(answer.kind, "told");
    assert.deepEqual(await store.read({ stream: `task:${hold.task}`, after: 0, limit: 100 }), before);
    const [asked] = await store.read({ stream: `control:${hold.task}`, after: 0, limit: 100 });
    assert.deepEqual(asked?.event, { type: "stop.requested", task: hold.task, by: "tester" });
    assert.equal((await store.task(hold.task))?.stopRequestedBy, "tester");
  }),

  storeCase("a task that has ended cannot be stopped, sent to or, if completed, queued again", async ({ store }) => {
    const hold = await running(store);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    const refused = { kind: "refused", refusal: { why: "state", status: "completed" } };
    assert.deepEqual(await store.command(hold.task, { type: "stop", by: "t" }), refused);
    assert.deepEqual(await store.command(hold.task, { type: "send", text: "x", by: "t" }), refused);
    assert.deepEqual(await store.command(hold.task, { type: "requeue", because: "retry", by: "t" }), refused);
  }),

  storeCase("of two answers to one question the first counts", async ({ store, another }) => {
    const hold = await running(store);
    await asks(store, hold);
    const other = await another();
    const [a, b] = await Promise.all([
      store.command(hold.task, { type: "answer", approval: approval.id, answer: yes, by: "a" }),
      other.command(hold.task, { type: "answer", approval: approval.id, answer: { verdict: "deny" }, by: "b" }),
    ]);
    assert.deepEqual([a.kind, b.kind].toSorted(), ["refused", "told"]);
    const view = await store.task(hold.task);
    assert.equal(view?.approvals[0]?.state, "answered");
    assert.equal(view?.approvals[0]?.by, a.kind === "told" ? "a" : "b");
  }),

  storeCase("an answer to a question that was never asked is refused", async ({ store }) => {
    const hold = await running(store);
    const answer = await store.command(hold.task, { type: "answer", approval: approval.id, answer: yes, by: "a" });
    assert.deepEqual(answer, { kind: "refused", refusal: { why: "no-approval" } });
  }),

  storeCase("tasks that ask are found, and found by what they ask", async ({ store }) => {
    const hold = await running(store);
    await admitted(store);
    await asks(store, hold);
    assert.deepEqual(
      (await store.tasks({ asking: true, limit: 9 })).map(({ id }) => id),
      [hold.task],
    );
    await store.command(hold.task, { type: "answer", approval: approval.id, answer: yes, by: "a" });
    assert.deepEqual(await store.tasks({ asking: true, limit: 9 }), []);
    assert.deepEqual(
      (await store.tasks({ asking: approval.id, limit: 9 })).map(({ id }) => id),
      [hold.task],
    );
  }),
];
