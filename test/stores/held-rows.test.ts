// Rows wait for the commit that they belong to. Nobody who asks can tell, and each stands in the file once.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { admitTask, applyTaskEvent } from "../../src/domain/task-projection.ts";
import type { Written } from "../../src/ports/index.ts";
import { AgentDefinition, brandId, type LogEvent, type TaskView } from "../../src/schema/index.ts";
import { Database } from "../../src/stores/sqlite/database.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { SqliteTables } from "../../src/stores/sqlite/sqlite-tables.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import { admission, admitted, running, WORKER_A, WORKER_B } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

const someFile = () => join(freshFolder("held"), "cadre.db");
const open = (file: string) => sqliteStore(file, fakeClock(), fakeMint());
const other = AgentDefinition.parse({ name: "other", description: "works", tape: [{ answer: "done" }] });

interface Thing {
  readonly id: string;
  readonly value: number;
}

/** A database with two tables, of which one has rows that are held. */
async function withThings() {
  const file = someFile();
  const database = await Database.open(file);
  await database.transaction("process", () => {
    database.run("CREATE TABLE things (id TEXT PRIMARY KEY, value INTEGER)");
    database.run("CREATE TABLE things_else (id TEXT)");
  });
  const sum = "SELECT sum(value) AS sum FROM things";
  expect(database.one(sum)).toEqual({ sum: null }); // a statement that is known before anything is held
  const writes: (readonly Thing[])[] = [];
  const held = database.held<string, Thing>("things", (rows) => {
    writes.push(rows);
    for (const { id, value } of rows) database.run("INSERT OR REPLACE INTO things VALUES (?, ?)", id, value);
  });
  const put = (id: string, value: number) => held.set(id, { id, value });
  return { file, database, held, put, writes, sum };
}

test("what is held is written once, at the commit, as the last change has it", async () => {
  const { database, held, put, writes, sum } = await withThings();
  await database.transaction("process", () => {
    for (const value of [1, 2, 3]) put("a", value);
    put("b", 10);
    expect(held.get("a")).toEqual({ id: "a", value: 3 });
    expect(writes).toEqual([]);
  });
  expect(writes).toEqual([
    [
      { id: "a", value: 3 },
      { id: "b", value: 10 },
    ],
  ]);
  expect(held.get("a")).toBeUndefined();
  await database.transaction("process", () => undefined);
  expect(writes).toHaveLength(1);
  expect(database.one(sum)).toEqual({ sum: 13 });
  await database.close();
});

test("a question about their table has them written first; one about another table, or as the file has it, does not", async () => {
  const { database, put, writes, sum } = await withThings();
  await database.transaction("process", () => {
    put("a", 1);
    expect(database.one("SELECT count(*) AS count FROM things_else")).toEqual({ count: 0 });
    expect(database.written(sum)).toEqual({ sum: null });
    expect(writes).toHaveLength(0);
    expect(database.one(sum)).toEqual({ sum: 1 });
    expect(writes).toHaveLength(1);
    put("a", 2);
    expect(database.written(sum)).toEqual({ sum: 1 });
    expect(database.all("SELECT value FROM things")).toEqual([{ value: 2 }]);
    put("a", 3);
  });
  expect(writes.map((rows) => rows.map(({ value }) => value))).toEqual([[1], [2], [3]]);
  expect(database.one(sum)).toEqual({ sum: 3 });
  await database.close();
});

test("what is held by a transaction that fails is never written", async () => {
  const { database, held, put, writes, sum } = await withThings();
  const failing = database.transaction("process", () => {
    put("a", 1);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(held.get("a")).toBeUndefined();
  await database.transaction("process", () => put("b", 2));
  expect(writes).toEqual([[{ id: "b", value: 2 }]]);
  expect(database.one(sum)).toEqual({ sum: 2 });
  await database.close();
});

test("a transaction that only holds something has changed something: it is told, and flushed", async () => {
  const { file, database, put } = await withThings();
  let commits = 0;
  database.onCommit(() => commits++);
  rmSync(`${file}-wal`); // a flush fails, if there is one
  await database.transaction("soon", () => undefined);
  expect(commits).toBe(0);
  await database.transaction("soon", () => put("a", 1));
  expect(commits).toBe(1);
  await expect(database.close()).rejects.toMatchObject({ code: "store.unavailable" });
});

/** What is really written to the rows of tasks, as the database itself tells it. */
function watched(file: string): () => readonly string[] {
  using database = new DatabaseSync(file);
  database.exec(`
    CREATE TABLE writes (what TEXT) STRICT;
    CREATE TRIGGER inserts AFTER INSERT ON tasks BEGIN INSERT INTO writes VALUES ('insert ' || new.status); END;
    CREATE TRIGGER updates AFTER UPDATE ON tasks BEGIN INSERT INTO writes VALUES ('update ' || new.status); END;
  `);
  return () => {
    using again = new DatabaseSync(file, { readOnly: true });
    return again
      .prepare("SELECT what FROM writes")
      .all()
      .map(({ what }) => String(what));
  };
}

async function withTables() {
  const file = someFile();
  const database = await Database.open(file);
  await database.migrate(() => database.run("INSERT INTO meta VALUES ('id', 'store')"));
  const tables = new SqliteTables(file, database);
  const { id, spec } = admission();
  /** Puts the new task, and what becomes of it. */
  const admit = (): TaskView => {
    const event = { type: "task.admitted", spec, number: tables.nextNumber("worker"), reserved: null } as const;
    const task = admitTask(id, event, tables.addEvent(`task:${id}`, event, 1, null));
    tables.putTask(task);
    return task;
  };
  const stop = (task: TaskView): TaskView => {
    const outcome = { status: "cancelled", by: "ada", how: "unstarted", answer: null } as const;
    const event = { type: "task.ended", outcome } as const;
    const ended = applyTaskEvent(task, event, tables.addEvent(`task:${id}`, event, 2, null));
    tables.putTask(ended);
    return ended;
  };
  return { file, tables, id, admit, stop };
}

test("a new task that is put twice in one transaction is inserted once, as the last put has it", async () => {
  const { file, tables, id, admit, stop } = await withTables();
  const writes = watched(file);
  const ended = await tables.transaction("process", () => stop(admit()));
  expect(writes()).toEqual(["insert cancelled"]);
  expect(tables.task(id)).toEqual(ended);
  const fresh = await open(file);
  expect(await fresh.task(id)).toEqual(ended);
  await Promise.all([tables.close(), fresh.close()]);
});

test("a question between the two finds the new task, and it is inserted once all the same", async () => {
  const { file, tables, id, admit, stop } = await withTables();
  const writes = watched(file);
  const ended = await tables.transaction("process", () => {
    const task = admit();
    expect(tables.tasks({ status: ["pending"], limit: 9 })).toEqual([task]);
    return stop(task);
  });
  expect(writes()).toEqual(["insert pending", "update cancelled"]);
  const fresh = await open(file);
  expect(await fresh.task(id)).toEqual(ended);
  await Promise.all([tables.close(), fresh.close()]);
});

test("works that share a commit see each other's rows, and each row is written once", async () => {
  const file = someFile();
  const store = await open(file);
  const writes = watched(file);
  const [one, two] = [admission(), admission()];
  const [, stopped, , found, sameAgain] = await Promise.all([
    store.admit([one]),
    store.command(one.id, { type: "stop", by: "ada" }),
    store.admit([two]),
    store.command(two.id, { type: "send", text: "psst", by: "ada" }),
    store.admit([one]),
  ]);
  expect(stopped).toMatchObject({ kind: "done", task: { status: "cancelled" } });
  expect(found).toMatchObject({ kind: "told", task: { number: 2 } });
  expect(sameAgain).toMatchObject({ kind: "refused", refusal: { why: "duplicate" } });
  expect(writes()).toEqual(["insert cancelled", "insert pending"]);
  const fresh = await open(file);
  expect(await fresh.tasks({ limit: 9 })).toEqual(await store.tasks({ limit: 9 }));
  await Promise.all([store.close(), fresh.close()]);
});

interface InFile {
  readonly tasks: readonly { readonly id: string; readonly agent: string; readonly number: number }[];
  readonly numbers: Readonly<Record<string, number>>;
  readonly events: readonly { readonly position: number; readonly stream: string; readonly seq: number }[];
}

/** Read by nothing of ours. */
function inFile(file: string): InFile {
  using database = new DatabaseSync(file, { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const events = "SELECT position, name, seq FROM events JOIN streams ON streams.id = stream ORDER BY position";
  return {
    tasks: all("SELECT id, agent, number FROM tasks ORDER BY ordinal").map((row) => ({
      id: String(row["id"]),
      agent: String(row["agent"]),
      number: Number(row["number"]),
    })),
    numbers: Object.fromEntries(all("SELECT * FROM numbers").map(({ agent, last }) => [agent, Number(last)])),
    events: all(events).map((row) => ({
      position: Number(row["position"]),
      stream: String(row["name"]),
      seq: Number(row["seq"]),
    })),
  };
}

/** Positions and sequence numbers have no gap, and none stands there twice. */
function expectWhole({ events }: InFile): void {
  expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => index + 1));
  const seqs = new Map<string, number[]>();
  for (const { stream, seq } of events) seqs.set(stream, [...(seqs.get(stream) ?? []), seq]);
  for (const [stream, of] of seqs) expect(of, stream).toEqual(of.map((_, index) => index + 1));
}

test.each([0, 1, 3, 5])("when number %i of a group fails, the others succeed, each once in the file", async (place) => {
  const file = someFile();
  const store = await open(file);
  const hold = await running(store);
  const stale = { ...hold, worker: WORKER_B.id };
  const before = inFile(file).events.length;
  const heard: Written[] = [];
  store.subscribe((written) => void heard.push(...written));
  const said = (text: string) => ({ type: "message.said", text }) as const;
  const works = [
    () => store.admit([admission()]),
    () => store.admit([admission({ definition: other })]),
    () => store.append(hold, [said("one"), said("two")]),
    () => store.admit([admission(), admission()]),
    () => store.append(hold, [said("three")]),
  ];
  works.splice(place, 0, () => store.append(stale, [said("never")]));
  const answers = await Promise.allSettled(works.map((work) => work()));
  expect(answers.map(({ status }) => status === "rejected")).toEqual(works.map((_, index) => index === place));
  expect(answers[place]).toMatchObject({ reason: { code: "attempt.stale" } });

  const now = inFile(file);
  expectWhole(now);
  expect(now.tasks.map(({ agent, number }) => `${agent}#${number}`)).toEqual([
    "worker#1",
    "worker#2",
    "other#1",
    "worker#3",
    "worker#4",
  ]);
  expect(now.numbers).toEqual({ worker: 4, other: 1 });
  const texts = (await store.read({ stream: `task:${hold.task}`, after: 0, limit: 99 })).flatMap(({ event }) =>
    event.type === "message.said" ? [event.text] : [],
  );
  expect(texts).toEqual(["one", "two", "three"]);
  expect(heard.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(
    now.events.slice(before).map(({ position }) => position),
  );
  expect(await admitted(store)).toMatchObject({ number: 5 });
  const fresh = await open(file);
  expect(await fresh.tasks({ limit: 99 })).toEqual(await store.tasks({ limit: 99 }));
  await Promise.all([store.close(), fresh.close()]);
});

test("more than share one commit succeed alike around one that fails", async () => {
  const file = someFile();
  const store = await open(file);
  const admissions = Array.from({ length: 70 }, () => admission());
  const lost = { task: admission().id, attempt: 1, worker: WORKER_A.id };
  const works = admissions.map((one) => () => store.admit([one]).then(({ kind }) => kind));
  works.splice(35, 0, () => store.append(lost, []).then(() => "admitted"));
  const answers = await Promise.allSettled(works.map((work) => work()));
  expect(answers.filter(({ status }) => status === "rejected")).toHaveLength(1);
  const now = inFile(file);
  expectWhole(now);
  expect(now.tasks.map(({ id, number }) => [id, number])).toEqual(admissions.map(({ id }, index) => [id, index + 1]));
  await store.close();
});

test("a stream that was opened by one that failed is opened anew by whoever comes next", async () => {
  const { file, tables } = await withTables();
  const said = (text: string): LogEvent => ({ type: "message.said", text });
  const stream = (name: string) => `task:${brandId("task", name)}` as const;
  const add = (name: string, text: string) => () => tables.addEvent(stream(name), said(text), 1, null);
  const failing = tables.transaction("process", () => {
    add("lost", "never")();
    throw new Error("no");
  });
  const [, ...beside] = await Promise.allSettled([
    failing,
    tables.transaction("process", add("kept", "first")),
    tables.transaction("process", add("lost", "second")),
    tables.transaction("process", add("kept", "third")),
  ]);
  expect(beside).toMatchObject([
    { value: { position: 1, seq: 1 } },
    { value: { position: 2, seq: 1 } },
    { value: { position: 3, seq: 2 } },
  ]);
  expect(inFile(file).events).toEqual([
    { position: 1, stream: stream("kept"), seq: 1 },
    { position: 2, stream: stream("lost"), seq: 1 },
    { position: 3, stream: stream("kept"), seq: 2 },
  ]);
  await tables.close();
});

test("whoever shares a commit that could not begin is told at once, and none of them is run", async () => {
  const { file, database } = await withThings();
  const newer = new DatabaseSync(file);
  newer.exec("PRAGMA user_version = 999");
  newer.close();
  let runs = 0;
  const works = Array.from({ length: 5 }, () => database.transaction("process", () => runs++));
  const ends = await Promise.allSettled(works);
  expect(ends.map(({ status }) => status)).toEqual(works.map(() => "rejected"));
  expect(runs).toBe(0);
  await database.close();
});
