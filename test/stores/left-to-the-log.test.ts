// While a task is held its row may be behind its events. Nobody who reads it can tell.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import type { HeldEntry, Store } from "../../src/ports/index.ts";
import { brandId, type TaskId } from "../../src/schema/index.ts";
import { readTasks } from "../../src/stores/sqlite/read-tasks.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { admitted, completed, running, WORKER_A } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

const open = (file: string) => sqliteStore(file, fakeClock(), fakeMint());
const fileIn = (name: string) => join(freshFolder(name), "cadre.db");
const turn = (number: number) => ({ type: "turn.started", turn: number }) as const;
const said = (text: string) => ({ type: "message.said", text }) as const;

function rowOf(file: string, task: TaskId) {
  using database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare("SELECT position, state FROM tasks WHERE id = ?").get(task);
  return { position: Number(row?.["position"]), turns: JSON.parse(String(row?.["state"])).turns as number };
}

const foldOf = async (store: Store, task: TaskId) => foldTask(task, await store.read({ after: 0, limit: 10_000 }));

test("what changes nothing that is searched by is read from the log, by everybody", async () => {
  const file = fileIn("left");
  const store = await open(file);
  await using other = { store: await open(file), [Symbol.asyncDispose]: () => other.store.close() };
  const hold = await running(store);
  const id = hold.task;
  await store.append(hold, [turn(1), said("one")]);
  const { task } = await store.append(hold, [turn(2), said("two")]);
  expect(rowOf(file, id)).toMatchObject({ turns: 0 });
  expect(task).toMatchObject({ turns: 2, lastSaid: "two" });
  expect(await store.task(id)).toEqual(task);
  expect(await other.store.task(id)).toEqual(task);
  expect(await other.store.tasks({ status: ["running"], limit: 9 })).toEqual([task]);
  expect(readTasks(file, { limit: 9 })?.tasks).toEqual([task]);
  expect(await foldOf(other.store, id)).toEqual(task);
  await store.close();
});

test("a command of another process comes between, and nothing of either is lost", async () => {
  const file = fileIn("left");
  const [store, other] = [await open(file), await open(file)];
  const hold = await running(store);
  const id = hold.task;
  await store.append(hold, [turn(1)]);
  await other.command(id, { type: "stop", by: "ada" });
  await store.append(hold, [turn(2)]);
  const expected = { turns: 2, stopRequestedBy: "ada" };
  expect(await store.task(id)).toMatchObject(expected);
  expect(await other.task(id)).toMatchObject(expected);
  expect(await foldOf(store, id)).toEqual(await other.task(id));
  await Promise.all([store.close(), other.close()]);
});

test("a task that nobody holds is as its row says", async () => {
  const file = fileIn("left");
  const store = await open(file);
  const { id } = await admitted(store);
  const { kind } = await store.command(id, { type: "send", text: "psst", by: "ada" });
  expect(kind).toBe("told");
  const task = await store.task(id);
  expect(rowOf(file, id).position).toBe(task?.position);
  expect(readTasks(file, { limit: 9 })?.tasks).toEqual([task]);
  await store.close();
});

test("whoever comes after a worker that was killed finds all that it has written", async () => {
  const file = fileIn("left");
  const killed = await open(file);
  const hold = await running(killed);
  const id = hold.task;
  await killed.append(hold, [turn(1), said("my last words")]);
  const store = await open(file);
  const [interrupted] = await store.interrupt(WORKER_A.id, "killed");
  expect(interrupted).toMatchObject({ id, turns: 1, lastSaid: "my last words", status: "interrupted" });
  expect(rowOf(file, id)).toMatchObject({ turns: 1 });
  await Promise.all([killed.close(), store.close()]);
});

test("a row is never far behind, and not at all once its task is let go", async () => {
  const file = fileIn("left");
  const store = await open(file);
  const hold = await running(store);
  const id = hold.task;
  for (let number = 1; number <= 100; number++) await store.append(hold, [turn(number)]);
  expect(rowOf(file, id).turns).toBeGreaterThan(60);
  const many = Array.from({ length: 200 }, (_, number) => said(String(number)));
  await store.append(hold, many);
  const other = await open(file);
  expect(await other.task(id)).toMatchObject({ turns: 100, lastSaid: "199" });
  const { task } = await store.append(hold, [{ type: "task.ended", outcome: completed }]);
  expect(rowOf(file, id)).toMatchObject({ turns: 100, position: task.position });
  await Promise.all([store.close(), other.close()]);
});

test("a question that is asked while another is open is found by its id", async () => {
  const file = fileIn("left");
  const [store, other] = [await open(file), await open(file)];
  const hold = await running(store);
  const id = hold.task;
  const [first, second] = [brandId("appr", "first"), brandId("appr", "second")];
  const asked = (approval: typeof first) =>
    ({
      type: "approval.asked",
      approval: {
        id: approval,
        kind: "question",
        sha256: "s",
        rule: null,
        title: approval,
        body: "",
        grants: [],
        expiresAt: null,
      },
    }) satisfies HeldEntry;
  await store.append(hold, [asked(first)]);
  await store.append(hold, [asked(second)]);
  const found = await other.tasks({ asking: second, limit: 9 });
  expect(found).toMatchObject([{ id, approvals: [{ id: first }, { id: second }] }]);
  await Promise.all([store.close(), other.close()]);
});
