import assert from "node:assert/strict";
import { storeCase } from "./contract-case.ts";
import { admission, admitted, completed, running, someSession } from "./given.ts";

const DAY_MS = 86_400_000;

export const sessionCases = [
  storeCase("sessions are listed with the last used first, page by page", async ({ store, clock }) => {
    const sessions = [someSession(), someSession(), someSession()];
    for (const session of sessions) {
      await admitted(store, { session });
      await clock.advance(10);
    }
    const [first, second, third] = sessions;
    assert.deepEqual(
      (await store.sessions({ limit: 2 })).map(({ id }) => id),
      [third, second],
    );
    assert.deepEqual(
      (await store.sessions({ limit: 2, before: second })).map(({ id }) => id),
      [first],
    );
  }),

  storeCase("sessions are listed by their agent, whatever the case it is written in", async ({ store }) => {
    const { spec } = await admitted(store);
    assert.equal((await store.sessions({ agent: "WORKER", limit: 9 })).length, 1);
    assert.equal((await store.sessions({ agent: "nobody", limit: 9 })).length, 0);
    assert.equal((await store.sessions({ limit: 9 }))[0]?.id, spec.session);
  }),

  storeCase("a session that was not used for long expires: what was said is gone, the log keeps it", async (given) => {
    const { store, clock, another } = given;
    const hold = await running(store);
    const session = (await store.task(hold.task))?.spec.session ?? someSession();
    await store.append(hold, [{ type: "task.ended", outcome: completed }]);
    await clock.advance(DAY_MS);
    const old = { unusedSince: clock.now(), limit: 9 };
    assert.deepEqual(
      (await store.sessions(old)).map(({ id }) => id),
      [session],
    );
    assert.equal(await store.expireSession(session, "tester", clock.now()), true);
    const view = await (await another()).session(session);
    assert.deepEqual([view?.messages, view?.expiredAt], [[], clock.now()]);
    assert.deepEqual(await store.sessions({ limit: 9 }), []);
    const events = await store.read({ stream: `session:${session}`, after: 0, limit: 99 });
    assert.deepEqual(
      events.map(({ event }) => event.type),
      ["session.opened", "message.kept", "session.expired"],
    );
    assert.equal(await store.expireSession(session, "tester", clock.now() + 1), false, "it is gone already");
  }),

  storeCase("a session with an unfinished task does not expire, nor one of a tree that goes on", async ({ store }) => {
    const parent = await running(store);
    const view = await store.task(parent.task);
    const child = admission({ parent: parent.task, root: parent.task, depth: 1 });
    await store.admit([child], parent);
    await store.command(child.id, { type: "stop", by: "tester" });
    const later = Number.MAX_SAFE_INTEGER;
    assert.equal(await store.expireSession(view?.spec.session ?? someSession(), "tester", later), false);
    assert.equal(await store.expireSession(child.spec.session, "tester", later), false);
    await store.append(parent, [{ type: "task.ended", outcome: completed }]);
    assert.equal(await store.expireSession(child.spec.session, "tester", later), true);
  }),

  storeCase("a session that was used since is kept", async ({ store, clock }) => {
    const { id, spec } = await admitted(store);
    await store.command(id, { type: "stop", by: "tester" });
    assert.equal(await store.expireSession(spec.session, "tester", clock.now()), false);
  }),

  storeCase("a session that has expired is not gone on with, but for a task of its own", async ({ store }) => {
    const { id, spec } = await admitted(store);
    await store.command(id, { type: "stop", by: "tester" });
    await store.expireSession(spec.session, "tester", Number.MAX_SAFE_INTEGER);
    const answer = await store.admit([admission({ session: spec.session }, { continues: true })]);
    assert.deepEqual(answer, {
      kind: "refused",
      index: 0,
      refusal: { why: "no-session", session: spec.session },
    });
    await store.command(id, { type: "requeue", because: "retry", by: "tester" });
    assert.deepEqual((await store.session(spec.session))?.tasks, [id]);
    assert.equal((await store.session(spec.session))?.expiredAt, null);
  }),

  storeCase("a fork begins with what was said in tasks that have ended, and leaves the other alone", async (given) => {
    const { store } = given;
    const hold = await running(store, { prompt: "one" });
    const { session } = (await store.task(hold.task))?.spec ?? { session: someSession() };
    const message = { role: "assistant", content: "done", task: hold.task } as const;
    await store.append(hold, [
      { type: "message.kept", session, message },
      { type: "task.ended", outcome: completed },
    ]);
    await running(store, { prompt: "two", session }, { continues: true });
    const fork = await admitted(store, { prompt: "three" }, { forks: { session, messages: 20 } });
    const view = await store.session(fork.spec.session);
    assert.equal(view?.forkOf, session);
    assert.deepEqual(
      view?.messages.map(({ content }) => content),
      ["one", "done", "three"],
    );
    assert.equal((await store.session(session))?.messages.length, 3);
  }),

  storeCase("there is no fork of a session that is not there", async ({ store }) => {
    const session = someSession();
    const answer = await store.admit([admission({}, { forks: { session, messages: 20 } })]);
    assert.deepEqual(answer, { kind: "refused", index: 0, refusal: { why: "no-session", session } });
  }),
];
