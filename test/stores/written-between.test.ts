// Another process writes between a question to the file and what is made of its answer. The answer may be old by then; it
// is not kept for longer than that.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { foldTask } from "../../src/domain/task-projection.ts";
import type { Store } from "../../src/ports/index.ts";
import type { TaskId, TaskSpec } from "../../src/schema/index.ts";
import { EmbeddedStore } from "../../src/stores/embedded/embedded-store.ts";
import { Database, type Row, type Value } from "../../src/stores/sqlite/database.ts";
import { SqliteTables } from "../../src/stores/sqlite/sqlite-tables.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { admitted, claimed, claimRequest, running, WORKER_B } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

const CLAIMS = fileURLToPath(new URL("fixtures/claim-one.ts", import.meta.url));

/** Lets something happen once, when rows were read and nobody has seen them yet. */
class Interrupted extends Database {
  between: (() => void) | undefined;

  override all(sql: string, ...values: Value[]): Row[] {
    const rows = super.all(sql, ...values);
    const { between } = this;
    this.between = undefined;
    between?.();
    return rows;
  }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function opened(file: string) {
  const database = new Interrupted(file, new DatabaseSync(file));
  const store = new EmbeddedStore(new SqliteTables(file, database), fakeClock());
  /** Before the next answer is seen, another process has claimed what comes next. */
  const claimBetween = async () => {
    await nextTurn();
    database.between = () => void execFileSync(process.execPath, [CLAIMS, file], { timeout: 20_000 });
  };
  return { store, claimBetween };
}

async function withTask(change: Partial<TaskSpec> = {}) {
  const file = join(freshFolder("between"), "cadre.db");
  await (await sqliteStore(file, fakeClock(), fakeMint())).close();
  const { store, claimBetween } = opened(file);
  const { id } = await admitted(store, change);
  return { file, store, id, claimBetween };
}

const LOOKS = {
  list: (store: Store) => store.tasks({ limit: 9 }),
  "look by an id": (store: Store, text: TaskId) => store.findTasks({ kind: "id", text }),
};

test.each(Object.entries(LOOKS))("a %s that is old when it is seen leaves no old task behind", async (_, look) => {
  const { store, id, claimBetween } = await withTask();
  await claimBetween();
  await look(store, id);
  await nextTurn();
  expect(await store.task(id)).toMatchObject({ status: "running", holder: WORKER_B.id, lastSaid: "mine" });
  expect(await store.command(id, { type: "stop", by: "ada" })).toMatchObject({ kind: "told" });
  expect(await store.task(id)).toEqual(foldTask(id, await store.read({ after: 0, limit: 99 })));
  await store.close();
});

test("nor does one of somebody who knows only streams so far", async () => {
  const { file, store, id } = await withTask();
  const hold = await running(store);
  const { store: fresh, claimBetween } = opened(file);
  await fresh.read({ stream: `task:${hold.task}`, after: 0, limit: 9 });
  await claimBetween();
  await fresh.tasks({ limit: 9 });
  await nextTurn();
  expect(await fresh.task(id)).toMatchObject({ status: "running", lastSaid: "mine" });
  await Promise.all([store.close(), fresh.close()]);
});

test("who writes where is not kept from an answer that is old: two never write in one place", async () => {
  const writes = { place: "project", scopes: ["src"] };
  const { store, claimBetween } = await withTask({ writes: { ...writes, place: "elsewhere" } });
  await claimed(store);
  await admitted(store, { writes });
  await admitted(store, { writes });
  await claimBetween();
  expect(await store.claim(claimRequest())).toMatchObject({ kind: "held-back" });
  await store.close();
});
