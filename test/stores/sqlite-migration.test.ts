import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { brandId } from "../../src/schema/index.ts";
import { MIGRATIONS } from "../../src/stores/sqlite/migrations.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { admitted, claimRequest } from "../../src/testing/store-contract/given.ts";
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

/** Streams had only names. */
const BY_NAME: Readonly<Record<string, string>> = {
  events: `(SELECT position, name AS stream, seq, at, attempt, event FROM today.events
            JOIN today.streams ON today.streams.id = today.events.stream)`,
};

/** The same rows in the shape that a database had then. */
function asItWas(file: string, shape: number): string {
  const before = `${file}.before`;
  const old = new DatabaseSync(before);
  for (const step of MIGRATIONS.slice(0, shape)) old.exec(step);
  old.exec(`PRAGMA user_version = ${shape}`);
  old.prepare("ATTACH ? AS today").run(file);
  for (const table of ["meta", "events", "tasks", "sessions", "numbers", "ledgers"]) {
    const columns = old
      .prepare("SELECT name FROM pragma_table_info(?, 'main')")
      .all(table)
      .map(({ name }) => name);
    old.exec(
      `INSERT INTO ${table} (${columns.join()}) SELECT ${columns.join()} FROM ${BY_NAME[table] ?? `today.${table}`}`,
    );
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
