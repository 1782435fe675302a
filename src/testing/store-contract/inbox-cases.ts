import assert from "node:assert/strict";
import type { Hold, InboxState, Store } from "../../ports/index.ts";
import { brandId, type InboxItem } from "../../schema/index.ts";
import { storeCase } from "./contract-case.ts";
import { admission, admitted, claimed, completed, running } from "./given.ts";

const approval = {
  id: brandId("appr", "inbox"),
  kind: "tool",
  title: "Bash",
  body: "rm -r build",
  sha256: "s",
  rule: null,
  grants: [] as string[],
  expiresAt: null,
} as const;

const items = (store: Store, state: InboxState = "all"): Promise<readonly InboxItem[]> =>
  store.inbox({ state, limit: 99 });
const kinds = async (store: Store, state?: InboxState): Promise<string[]> =>
  (await items(store, state)).map(({ kind }) => kind);
const end = (store: Store, hold: Hold) => store.append(hold, [{ type: "task.ended", outcome: completed }]);
const ask = (store: Store, hold: Hold) => store.append(hold, [{ type: "approval.asked", approval }]);
const answer = { verdict: "allow", scope: "once" } as const;

export const inboxCases = [
  storeCase("a task that has ended is an item, with its summary, in one commit with its end", async ({ store }) => {
    const hold = await running(store);
    assert.deepEqual(await items(store), []);
    await end(store, hold);
    const [item] = await items(store, "unread");
    const view = await store.task(hold.task);
    assert.deepEqual(item, {
      id: `item_${view?.position}`,
      kind: "ended",
      task: hold.task,
      root: hold.task,
      session: view?.spec.session,
      agent: "worker",
      summary: "done",
      status: "completed",
      approval: null,
      isOpen: false,
      at: view?.endedAt,
      read: null,
    });
  }),

  storeCase("what was acknowledged is read, once, for every process, and stands in the log", async (given) => {
    const { store, another, clock } = given;
    await end(store, await running(store));
    const [item] = await items(store);
    assert.ok(item !== undefined);
    const read = { at: clock.now(), by: "tester" };
    assert.deepEqual(await store.acknowledge([item.id, item.id], "tester"), [{ ...item, read }]);
    const other = await another();
    assert.deepEqual(await other.acknowledge([item.id], "another"), [], "somebody has read it already");
    assert.deepEqual(await other.inboxItem(item.id), { ...item, read });
    assert.deepEqual(await items(other, "unread"), []);
    assert.deepEqual(await kinds(other), ["ended"]);
    const [event, ...more] = await other.read({ stream: `inbox:${item.task}`, after: 0, limit: 9 });
    assert.deepEqual(event?.event, { type: "item.acknowledged", task: item.task, items: [item.id], by: "tester" });
    assert.deepEqual(more, []);
  }),

  storeCase("an item that is not there is acknowledged by nobody", async ({ store }) => {
    assert.deepEqual(await store.acknowledge([brandId("item", "77")], "tester"), []);
    assert.equal(await store.inboxItem(brandId("item", "77")), undefined);
  }),

  storeCase("a question is open until it is answered, whoever has read it", async ({ store }) => {
    const hold = await running(store);
    await ask(store, hold);
    const [asked] = await items(store);
    assert.deepEqual([asked?.kind, asked?.approval, asked?.isOpen], ["approval", approval.id, true]);
    assert.ok(asked !== undefined);
    await store.acknowledge([asked.id], "tester");
    assert.equal((await store.task(hold.task))?.approvals[0]?.state, "open", "having read it is no answer");
    assert.deepEqual(await kinds(store, "unread"), []);
    assert.deepEqual(await kinds(store, "waiting"), ["approval"]);
    await store.command(hold.task, { type: "answer", approval: approval.id, answer, by: "ada" });
    assert.deepEqual(await kinds(store, "waiting"), []);
    assert.equal((await items(store))[0]?.isOpen, false);
  }),

  storeCase("who has answered has read it; a question that nobody answered stays unread", async ({ store }) => {
    const one = await running(store);
    await ask(store, one);
    await store.command(one.task, { type: "answer", approval: approval.id, answer, by: "ada" });
    assert.equal((await items(store))[0]?.read?.by, "ada");
    const other = { ...approval, id: brandId("appr", "late") };
    await store.append(one, [{ type: "approval.asked", approval: other }]);
    await store.append(one, [{ type: "approval.expired", approval: other.id }]);
    const [late] = await items(store, "unread");
    assert.deepEqual([late?.approval, late?.isOpen, late?.read], [other.id, false, null]);
  }),

  storeCase("pages go from the latest to the oldest", async ({ store }) => {
    for (const _ of [1, 2, 3]) await end(store, await running(store));
    const all = await items(store);
    const [first, second] = await store.inbox({ state: "all", limit: 2 });
    assert.ok(second !== undefined);
    const rest = await store.inbox({ state: "all", before: second.id, limit: 2 });
    assert.deepEqual([first, second, ...rest], all);
  }),

  storeCase(
    "a child that its parent waits for is no item; one in the background is, until it is told",
    async (given) => {
      const { store } = given;
      const parent = await running(store);
      const below = { parent: parent.task, root: parent.task, depth: 1 };
      const [near, far] = [admission(below), admission({ ...below, background: true })];
      await store.admit([near, far], parent);
      await end(store, await claimed(store, { root: parent.task }));
      await end(store, await claimed(store, { root: parent.task }));
      assert.deepEqual(
        (await items(store, "unread")).map(({ task, root }) => [task, root]),
        [[far.id, parent.task]],
      );
      await store.append(parent, [{ type: "child.ended", child: far.id, status: "completed", summary: "done" }]);
      assert.equal((await items(store))[0]?.read?.by, parent.task);
      assert.deepEqual((await store.inbox({ state: "all", root: far.id, limit: 9 })).length, 0, "it is no root");
      assert.deepEqual((await store.inbox({ state: "all", root: parent.task, limit: 9 })).length, 1);
    },
  ),

  storeCase("a task that was interrupted is an item, until it is queued again", async ({ store }) => {
    const hold = await running(store);
    await store.interrupt(hold.worker, "its worker died");
    const [item] = await items(store, "unread");
    assert.deepEqual([item?.kind, item?.summary, item?.status], ["interrupted", "its worker died", "interrupted"]);
    await store.command(hold.task, { type: "requeue", because: "retry", by: "ada" });
    assert.equal((await items(store))[0]?.read?.by, "ada");
  }),

  storeCase("who has stopped a task knows that it has ended", async ({ store }) => {
    const { id } = await admitted(store);
    await store.command(id, { type: "stop", by: "ada" });
    assert.deepEqual(await kinds(store, "unread"), []);
    assert.equal((await items(store))[0]?.read?.by, "ada");
  }),
];
