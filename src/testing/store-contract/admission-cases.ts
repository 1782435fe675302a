import assert from "node:assert/strict";
import type { TaskQuery } from "../../ports/index.ts";
import type { TaskRef } from "../../schema/index.ts";
import { storeCase } from "./contract-case.ts";
import { admission, admitted, claimed, completed, running, someSession, someTaskId, WORKER_B } from "./given.ts";

export const admissionCases = [
  storeCase("a task that was admitted is pending, numbered, and first in its stream", async ({ store }) => {
    const task = await admitted(store);
    assert.equal(task.status, "pending");
    assert.equal(task.number, 1);
    const [first] = await store.read({ stream: `task:${task.id}`, after: 0, limit: 10 });
    assert.equal(first?.event.type, "task.admitted");
    assert.equal(first?.seq, 1);
    assert.deepEqual(await store.task(task.id), task);
  }),

  storeCase("tasks are numbered per agent, without regard to case and dashes", async ({ store }) => {
    const one = await admitted(store);
    const other = admission();
    const answer = await store.admit([
      { ...other, spec: { ...other.spec, definition: { ...other.spec.definition, name: "WORKER" } } },
    ]);
    assert.equal(answer.kind === "admitted" && answer.tasks[0]?.number, one.number + 1);
  }),

  storeCase("a list is admitted whole or not at all", async ({ store }) => {
    const before = await store.head();
    const good = admission();
    const answer = await store.admit([good, { ...admission(), id: good.id }]);
    assert.deepEqual(answer, { kind: "refused", index: 1, refusal: { why: "duplicate", task: good.id } });
    assert.equal(await store.task(good.id), undefined);
    assert.equal(await store.head(), before);
  }),

  storeCase("a session is opened with its first task and keeps what was asked", async ({ store }) => {
    const task = await admitted(store, { prompt: "find it" });
    const session = await store.session(task.spec.session);
    assert.deepEqual(session?.tasks, [task.id]);
    assert.deepEqual(session?.messages, [{ role: "user", content: "find it", task: task.id }]);
  }),

  storeCase("a session takes one task at a time", async ({ store }) => {
    const session = someSession();
    const first = await admitted(store, { session });
    const second = admission({ session }, { continues: true });
    assert.deepEqual(await store.admit([second]), {
      kind: "refused",
      index: 0,
      refusal: { why: "session-busy", session, task: first.id },
    });
    const hold = await claimed(store);
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    assert.equal((await store.admit([second])).kind, "admitted");
    assert.deepEqual((await store.session(session))?.tasks, [first.id, second.id]);
  }),

  storeCase("a session that does not exist cannot be continued", async ({ store }) => {
    const session = someSession();
    const answer = await store.admit([admission({ session }, { continues: true })]);
    assert.deepEqual(answer, { kind: "refused", index: 0, refusal: { why: "no-session", session } });
  }),

  storeCase(
    "a child is in its parent's stream in the same commit, and only while the parent is held",
    async ({ store }) => {
      const hold = await running(store);
      const parent = { parent: hold.task, root: hold.task, depth: 1 };
      const child = await admitted(store, { ...parent, background: true });
      assert.deepEqual((await store.task(hold.task))?.children, [child.id]);
      const log = await store.read({ stream: `task:${hold.task}`, after: 0, limit: 10 });
      assert.equal(log.at(-1)?.attempt, hold.attempt);
      assert.deepEqual(log.at(-1)?.event, {
        type: "child.started",
        child: child.id,
        agent: "worker",
        background: true,
      });

      await store.append(hold, [{ type: "task.ended", outcome: completed }]);
      assert.deepEqual(await store.admit([admission(parent)]), {
        kind: "refused",
        index: 0,
        refusal: { why: "parent-ended", parent: hold.task, status: "completed" },
      });
    },
  ),

  storeCase("a tree holds so many tasks and no more, also within one list", async ({ store }) => {
    const hold = await running(store);
    const below = () => admission({ parent: hold.task, root: hold.task, depth: 1 }, { maxPerRoot: 3 });
    const refusal = { why: "fan-out", limit: 3 };
    assert.deepEqual(await store.admit([below(), below(), below()]), { kind: "refused", index: 2, refusal });
    assert.equal((await store.admit([below(), below()])).kind, "admitted");
    assert.deepEqual(await store.admit([below()]), { kind: "refused", index: 0, refusal });
  }),

  storeCase("two handles see the same tasks", async ({ store, another }) => {
    const other = await another();
    const task = await admitted(store);
    assert.deepEqual(await other.task(task.id), task);
    const hold = await claimed(other, { worker: WORKER_B });
    assert.equal((await store.task(task.id))?.holder, hold.worker);
  }),

  storeCase("tasks are found by number, by the end of their id, and as the last one", async ({ store }) => {
    const first = await admitted(store);
    const last = await admitted(store);
    const ids = async (ref: TaskRef) => (await store.findTasks(ref)).map(({ id }) => id);
    assert.deepEqual(await ids({ kind: "last" }), [last.id]);
    assert.deepEqual(await ids({ kind: "number", agent: "worker", number: 1 }), [first.id]);
    assert.deepEqual(await ids({ kind: "number", agent: "worker", number: 99 }), []);
    assert.deepEqual(await ids({ kind: "id", text: first.id }), [first.id]);
    assert.deepEqual(await ids({ kind: "id", text: last.id.slice(-4) }), [last.id]);
    assert.deepEqual(await ids({ kind: "id", text: someTaskId() }), []);
  }),

  storeCase("tasks are listed newest first, page by page, and by what they are", async ({ store }) => {
    const one = await admitted(store);
    const two = await admitted(store);
    const three = await admitted(store);
    await claimed(store, { root: two.id });
    const ids = async (query: TaskQuery) => (await store.tasks(query)).map(({ id }) => id);
    assert.deepEqual(await ids({ limit: 2 }), [three.id, two.id]);
    assert.deepEqual(await ids({ limit: 2, before: two.id }), [one.id]);
    assert.deepEqual(await ids({ limit: 9, status: ["running"] }), [two.id]);
    assert.deepEqual(await ids({ limit: 9, root: three.id }), [three.id]);
    assert.deepEqual(await ids({ limit: 9, agent: "Worker" }), [three.id, two.id, one.id]);
    assert.deepEqual(await ids({ limit: 9, agent: "nobody" }), []);
  }),
];
