import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import type { Hold, Store } from "../../src/ports/index.ts";
import { brandId } from "../../src/schema/index.ts";
import { MIGRATIONS } from "../../src/stores/sqlite/migrations.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock } from "../../src/testing/index.ts";
import {
  admitted,
  claimed,
  claimRequest,
  completed,
  reserve,
  running,
  settle,
  someReservation,
} from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

test("sessions of a database that knew neither expiry nor forks are listed, found by agent, and can expire", async () => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const old = new DatabaseSync(file);
  for (const step of MIGRATIONS.slice(0, 2)) old.exec(step);
  old.exec("PRAGMA user_version = 2");
  old.exec("INSERT INTO meta VALUES ('id', 'old')");
  const id = brandId("sess", "old");
  const view = { id, agent: "My_Oracle", parent: null, children: [], tasks: [], breadcrumbs: [] };
  const message = { role: "user", content: "hi", task: "task_old" };
  const row = { ...view, messages: [message], openedAt: 1, updatedAt: 5 };
  old.prepare("INSERT INTO sessions VALUES (?, ?)").run(id, JSON.stringify(row));
  old.close();

  const store = await sqliteStore(file, fakeClock(), { token: () => "never asked for" });
  expect(await store.sessions({ agent: "my-oracle", limit: 9 })).toEqual([{ ...row, forkOf: null, expiredAt: null }]);
  expect(await store.expireSession(id, "tester", 5)).toBe(false);
  expect(await store.expireSession(id, "tester", 6)).toBe(true);
  expect(await store.sessions({ limit: 9 })).toEqual([]);
  await store.close();
});

const open = (file: string) => sqliteStore(file, fakeClock(), { token: () => "some" });

/** Streams had only names until the sixth shape. */
const NAMED = `(SELECT position, name AS stream, seq, at, attempt, event FROM today.events
  JOIN today.streams ON today.streams.id = today.events.stream)`;

/** What is reserved had a table of its own. */
const RESERVED = `(SELECT task, value ->> 'id' AS id, value -> 'amount' AS amount, value ->> 'use' AS use
  FROM today.ledgers, json_each(open))`;

/** All that any shape had. */
const TABLES =
  "meta streams events tasks sessions numbers ledgers reservations workers starts wanting approvals inbox".split(" ");

/** The same rows in the shape that a database had then. */
function asItWas(file: string, shape: number): string {
  const before = `${file}.before`;
  const old = new DatabaseSync(before);
  for (const step of MIGRATIONS.slice(0, shape)) old.exec(step);
  old.exec(`PRAGMA user_version = ${shape}`);
  old.prepare("ATTACH ? AS today").run(file);
  for (const table of TABLES) {
    const columns = old
      .prepare("SELECT name FROM pragma_table_info(?, 'main')")
      .all(table)
      .map(({ name }) => name);
    if (columns.length === 0) continue;
    const rows = table === "events" && shape < 6 ? NAMED : table === "reservations" ? RESERVED : `today.${table}`;
    old.exec(`INSERT INTO ${table} (${columns.join()}) SELECT ${columns.join()} FROM ${rows}`);
  }
  old.close();
  return before;
}

test("tasks and events of a database that numbered them itself stay as they were, and go on", async () => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const needs = [{ name: "KEY", sha256: "k" }];
  const today = await open(file);
  const picky = await admitted(today, { needs, priority: 1 });
  const plain = await admitted(today);
  const events = await today.read({ after: 0, limit: 99 });
  await today.close();

  const store = await open(asItWas(file, 4));
  expect(events.length).toBeGreaterThan(4);
  expect(await store.read({ after: 0, limit: 99 })).toEqual(events);
  expect(await store.tasks({ limit: 9 })).toEqual([plain, picky]);
  const claim = async (has: typeof needs) => {
    const answer = await store.claim(claimRequest({ has }));
    return answer.kind === "claimed" ? answer.claims.map(({ task }) => task.id) : answer.kind;
  };
  expect(await claim([{ name: "KEY", sha256: "another" }])).toEqual([plain.id]);
  expect(await claim([])).toBe("idle");
  expect(await claim(needs)).toEqual([picky.id]);
  const later = await store.read({ after: events.length, limit: 99 });
  expect(later.map(({ position }) => position)).toEqual([events.length + 1, events.length + 2]);
  await store.close();
});

test("tasks of a database that did not tell bounds from costs have none", async () => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const today = await open(file);
  const task = await admitted(today);
  await today.close();
  const before = asItWas(file, 7);
  const old = new DatabaseSync(before);
  old.exec("UPDATE tasks SET state = json_remove(state, '$.bound', '$.usage', '$.models', '$.graceTurns')");
  old.close();

  const store = await open(before);
  expect(await store.task(task.id)).toEqual(task);
  await store.close();
});

test("messages that nobody has heard are known in a database that did not count them", async () => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const today = await open(file);
  const task = await admitted(today);
  const send = (text: string) => today.command(task.id, { type: "send", text, by: "ada" });
  await send("one");
  const hold = await claimed(today);
  const [first] = await today.read({ stream: `control:${task.id}`, after: 0, limit: 1 });
  await today.append(hold, [{ type: "message.received", text: "one", by: "ada", control: first?.position ?? 0 }]);
  await Promise.all(Array.from({ length: 1_010 }, (_, n) => send(`${n + 2}`)));
  const before = await today.task(task.id);
  await today.close();
  const was = asItWas(file, 8);
  const old = new DatabaseSync(was);
  old.exec("UPDATE tasks SET state = json_remove(state, '$.unheard')");
  old.close();

  const store = await open(was);
  expect(before?.unheard.map(({ text }) => text)).toEqual(Array.from({ length: 1_000 }, (_, n) => `${n + 12}`));
  expect(await store.task(task.id)).toEqual(before);
  await store.close();
});

test("a budget of a database that did not tell wholes from calls is waited for as ever", async () => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const today = await open(file);
  const limits = { ...(await admitted(today)).spec.limits, budget: { microUsd: null, tokens: 100 } };
  const hold = await running(today, { limits });
  await reserve(today, hold, someReservation(), { microUsd: 0, tokens: 60 });
  await today.close();
  const was = asItWas(file, 8);
  const old = new DatabaseSync(was);
  old.exec("UPDATE ledgers SET ledger = json_remove(ledger, '$.wholes')");
  old.close();

  const store = await open(was);
  const answer = await reserve(store, hold, someReservation(), { microUsd: 0, tokens: 50 });
  expect(answer).toEqual({ kind: "short", unit: "tokens", left: 40, isBusy: true });
  await store.close();
});

/** All that can be read of a store. */
async function allOf(store: Store) {
  const events = await store.read({ after: 0, limit: 1_000 });
  const streams = [...new Set(events.map(({ stream }) => stream))];
  return {
    id: store.id,
    head: await store.head(),
    events,
    streams: await Promise.all(
      streams.map(async (stream) => [stream, await store.read({ stream, after: 0, limit: 1_000 })]),
    ),
    tasks: await store.tasks({ limit: 99 }),
    sessions: await store.sessions({ limit: 99 }),
    inbox: await store.inbox({ state: "all", limit: 99 }),
    holders: await store.holders(),
  };
}

const AMOUNT = { microUsd: 0, tokens: 30 };
const LIMITS = { timeoutMs: 60_000, maxTurns: 10, maxOutputKb: 10, budget: { microUsd: null, tokens: 100 } };
const said = (text: string) => ({ type: "message.said", text }) as const;

/** Several streams that were written in turn, two tasks at work, what they have set aside, and when they began. */
async function busy(store: Store) {
  const hold = await running(store, { limits: LIMITS });
  const other = await running(store, { limits: LIMITS });
  const [call, later] = [someReservation(), someReservation()];
  await reserve(store, hold, call, AMOUNT);
  await store.append(other, [said("one")]);
  await reserve(store, hold, later, AMOUNT, "later");
  await reserve(store, other, someReservation(), AMOUNT);
  await store.command(hold.task, { type: "send", text: "psst", by: "ada" });
  const child = { parent: hold.task, root: hold.task, depth: 1, limits: LIMITS };
  await admitted(store, child);
  await store.append(other, [said("two")]);
  return { hold, other, call, later };
}

/** Streams had only names; what was reserved stood apart. */
const SHAPES = [5, 6];

test.for(SHAPES)("a database of shape %i reads the same, and goes on", async (shape) => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const today = await open(file);
  const { hold, other, call, later } = await busy(today);
  const before = await allOf(today);
  await today.close();
  expect(before.streams.length).toBeGreaterThan(6);

  const store = await open(asItWas(file, shape));
  expect(await allOf(store)).toEqual(before);

  // What was set aside is still set aside: 60 of 100 are, and each is found under its task alone.
  expect(await reserve(store, hold, someReservation(), { microUsd: 0, tokens: 41 })).toMatchObject({ left: 40 });
  await expect(settle(store, other, call, AMOUNT)).rejects.toThrow("never reserved");
  await settle(store, hold, call, AMOUNT);
  await expect(settle(store, hold, call, AMOUNT)).rejects.toThrow("settled twice");
  const { task } = await store.append(hold, [{ type: "task.ended", outcome: completed }]);
  const settled = (await eventsOf(store, hold)).filter(({ type }) => type === "budget.settled");
  expect(settled).toMatchObject([
    { reservation: call, spent: AMOUNT },
    { reservation: later, spent: { tokens: 0 } },
  ]);
  // What began before counts for the limit of this minute.
  const limited = await store.claim(claimRequest({ rateLimitPerMin: 2 }));
  expect(limited).toEqual({ kind: "limited", until: fakeClock().now() + 60_000 });
  expect(await store.claim(claimRequest({ rateLimitPerMin: 3 }))).toMatchObject({ kind: "claimed" });
  expect(await admitted(store)).toMatchObject({ number: 4 });

  const log = await store.read({ after: 0, limit: 1_000 });
  expect(log.slice(0, before.head)).toEqual(before.events);
  expect(log.map(({ position }) => position)).toEqual(log.map((_, index) => index + 1));
  for (const stream of new Set(log.map((one) => one.stream))) {
    const own = await store.read({ stream, after: 0, limit: 1_000 });
    expect(own).toEqual(log.filter((one) => one.stream === stream));
    expect(
      own.map(({ seq }) => seq),
      stream,
    ).toEqual(own.map((_, index) => index + 1));
  }
  expect(foldTask(hold.task, log)).toEqual(task);
  await store.close();
});

const eventsOf = async (store: Store, { task }: Hold) =>
  (await store.read({ stream: `task:${task}`, after: 0, limit: 1_000 })).map(({ event }) => event);

test.for(SHAPES)("what a worker that died with shape %i had set aside is charged, and kept", async (shape) => {
  const file = join(freshFolder("migrate"), "cadre.db");
  const today = await open(file);
  const { hold, call, later } = await busy(today);
  await today.close();

  const store = await open(asItWas(file, shape));
  const interrupted = await store.interrupt(hold.worker, "killed");
  expect(interrupted).toHaveLength(2);
  const settled = (await eventsOf(store, hold)).filter(({ type }) => type === "budget.settled");
  expect(settled).toEqual([
    { type: "budget.settled", reservation: call, reserved: AMOUNT, spent: AMOUNT, isBound: true },
  ]);
  await store.command(hold.task, { type: "requeue", because: "recovery", by: "tester" });
  const again = await claimed(store, { root: hold.task });
  expect(await reserve(store, again, someReservation(), AMOUNT, "later")).toMatchObject({ reservation: later });
  await store.close();
});
