import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { brandId } from "../../src/schema/index.ts";
import { MIGRATIONS } from "../../src/stores/sqlite/migrations.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock } from "../../src/testing/index.ts";
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
