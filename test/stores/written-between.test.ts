// Another process writes between a question to the file and what is made of its answer. The answer may be old by then; it
// is not kept for longer than that.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import type { Store } from "../../src/ports/index.ts";
import type { TaskId, TaskSpec } from "../../src/schema/index.ts";
import { EmbeddedStore } from "../../src/stores/embedded/embedded-store.ts";
import { Database, type Row, type Value } from "../../src/stores/sqlite/database.ts";
import { SqliteTables } from "../../src/stores/sqlite/sqlite-tables.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import {
  admitted,
  claimed,
  claimRequest,
  running,
  WORKER_A,
  WORKER_B,
} from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

type Fixture = "claim-one" | "suspend-and-send" | "requeue-all";
const elsewhere = (fixture: Fixture, ...args: string[]): void => {
  const script = fileURLToPath(new URL(`fixtures/${fixture}.ts`, import.meta.url));
  execFileSync(process.execPath, [script, ...args], { timeout: 20_000 });
};

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
  /** Before the next answer is seen, another process has done this. */
  const between = async (fixture: Fixture, ...args: string[]) => {
    await nextTurn();
    database.between = () => elsewhere(fixture, file, ...args);
  };
  return { store, between, claimBetween: () => between("claim-one") };
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

test("of the two streams of a task none is read without what came before in the other", async () => {
  const { file, store } = await withTask();
  const { task: id } = await claimed(store);
  const { store: other, between } = opened(file);
  await between("suspend-and-send", id);
  await other.task(id);
  await nextTurn();
  const view = await other.task(id);
  expect(view).toMatchObject({ status: "waiting", waitingOn: "child" });
  expect(view).toEqual(foldTask(id, await other.read({ after: 0, limit: 99 })));
  await Promise.all([store.close(), other.close()]);
});

test("a worker that knows many tasks as they were does not look for ever at what was queued meanwhile", async () => {
  const { file, store } = await withTask();
  for (let count = 0; count < 40; count++) await admitted(store);
  await store.claim(claimRequest({ most: 50, maxConcurrent: 100 }));
  await store.interrupt(WORKER_A.id, "killed");
  const { store: other, between } = opened(file);
  await other.tasks({ limit: 99 });
  await between("requeue-all");
  expect(await other.claim(claimRequest())).toMatchObject({ kind: "idle", until: expect.any(Number) });
  await nextTurn();
  expect(await other.claim(claimRequest())).toMatchObject({ kind: "claimed" });
  await Promise.all([store.close(), other.close()]);
});
