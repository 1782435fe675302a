// What is kept beside the file never outlives the transaction that wrote it, nor what another process writes.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openLedger, reserveIn } from "../../src/domain/budgets.ts";
import { brandId, type LogEvent } from "../../src/schema/index.ts";
import { Database } from "../../src/stores/sqlite/database.ts";
import { KnownRows } from "../../src/stores/sqlite/known-rows.ts";
import { SqliteTables } from "../../src/stores/sqlite/sqlite-tables.ts";
import { freshFolder } from "../fresh-folder.ts";

const TASK = brandId("task", "one");
const STREAM = `task:${TASK}` as const;
const said = (text: string): LogEvent => ({ type: "message.said", text });
const LEDGER = openLedger({ microUsd: null, tokens: 100 });
const WHOLE = { task: TASK, parent: null, ledger: LEDGER, open: [] };
const SPENT = reserveIn(LEDGER, { microUsd: 0, tokens: 40 }, "call");

async function open(file = join(freshFolder("known"), "cadre.db")) {
  const database = await Database.open(file);
  await database.migrate(() => database.run("INSERT INTO meta VALUES ('id', 'store')"));
  return { file, database, tables: new SqliteTables(file, database) };
}

test("a transaction that fails is forgotten by those that share its commit", async () => {
  const { tables } = await open();
  await tables.transaction("process", () => {
    tables.addEvent(STREAM, said("first"), 1, null);
    tables.putLedger(WHOLE);
  });
  const failing = tables.transaction("process", () => {
    tables.addEvent(STREAM, said("never"), 2, null);
    tables.putLedger({ ...WHOLE, ledger: SPENT });
    throw new Error("no");
  });
  const beside = tables.transaction("process", () => {
    const { ledger } = tables.ledger(TASK) ?? {};
    return { ledger, event: tables.addEvent(STREAM, said("second"), 3, null) };
  });
  await expect(failing).rejects.toThrow("no");
  await expect(beside).resolves.toMatchObject({ ledger: LEDGER, event: { seq: 2 } });
  expect(tables.readEvents({ after: 0, limit: 10 }).map(({ seq, event }) => [seq, event])).toEqual([
    [1, said("first")],
    [2, said("second")],
  ]);
  await tables.close();
});

test("a transaction that fails alone is forgotten as well", async () => {
  const { tables } = await open();
  const failing = tables.transaction("process", () => {
    tables.addEvent(STREAM, said("never"), 1, null);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(tables.head()).toBe(0);
  expect(tables.readEvents({ after: 0, limit: 10 })).toEqual([]);
  await tables.close();
});

test("what another connection has written is seen inside and outside of transactions", async () => {
  const { file, tables } = await open();
  const other = await open(file);
  await tables.transaction("process", () => tables.putLedger(WHOLE));
  expect(tables.ledger(TASK)?.ledger).toEqual(LEDGER);
  await other.tables.transaction("process", () => other.tables.putLedger({ ...WHOLE, ledger: SPENT }));
  await expect(tables.transaction("process", () => tables.ledger(TASK)?.ledger)).resolves.toEqual(SPENT);
  await other.tables.transaction("process", () => other.tables.putLedger(WHOLE));
  expect(tables.ledger(TASK)?.ledger).toEqual(LEDGER);
  await Promise.all([tables.close(), other.tables.close()]);
});

test("what another process has written is seen as soon as anything is heard from outside", async () => {
  const { file, tables } = await open();
  await tables.transaction("process", () => tables.putLedger(WHOLE));
  expect(tables.ledger(TASK)?.ledger).toEqual(LEDGER);
  // Not a handle of ours: nobody in this process is told.
  const elsewhere = new DatabaseSync(file);
  elsewhere.prepare("UPDATE ledgers SET ledger = ?").run(JSON.stringify(SPENT));
  elsewhere.close();
  await new Promise((resolve) => setImmediate(resolve));
  expect(tables.ledger(TASK)?.ledger).toEqual(SPENT);
  await tables.close();
});

test("a row that changes twice is written once, and a question finds it as it is", async () => {
  const { database, tables } = await open();
  let found: unknown;
  await tables.transaction("process", () => {
    for (const ledger of [LEDGER, SPENT, LEDGER]) tables.putLedger({ ...WHOLE, ledger });
    for (const text of ["a", "b"]) tables.addEvent(STREAM, said(text), 1, null);
    found = database.one("SELECT ledger, (SELECT count(*) FROM events) AS events FROM ledgers");
    tables.putLedger({ ...WHOLE, ledger: SPENT });
  });
  expect(found).toMatchObject({ ledger: JSON.stringify(LEDGER), events: 2 });
  expect(database.one("SELECT ledger, changes() AS changes FROM ledgers")).toMatchObject({
    ledger: JSON.stringify(SPENT),
    changes: 1,
  });
  await tables.close();
});

test("more events than are inserted at once are all there, in their order", async () => {
  const { file, tables } = await open();
  const texts = Array.from({ length: 37 }, (_, index) => `${index}`);
  await tables.transaction("process", () => {
    for (const text of texts) tables.addEvent(STREAM, said(text), 1, null);
  });
  const other = await open(file);
  const read = other.tables.readEvents({ stream: STREAM, after: 0, limit: 99 });
  expect(read.map(({ event }) => "text" in event && event.text)).toEqual(texts);
  expect(read.map(({ position, seq }) => [position, seq])).toEqual(texts.map((_, index) => [index + 1, index + 1]));
  await Promise.all([tables.close(), other.tables.close()]);
});

test("a caller that goes on changing its object changes no history", async () => {
  const { tables } = await open();
  const event = { type: "message.said", text: "as it was" } satisfies LogEvent;
  await tables.transaction("process", () => tables.addEvent(STREAM, event, 1, null));
  event.text = "changed";
  expect(tables.readEvents({ after: 0, limit: 1 })[0]?.event).toEqual(said("as it was"));
  await tables.close();
});

test("so many rows are known, and no more", () => {
  const rows = new KnownRows<number, string>(() => undefined, 2);
  rows.set(1, "one");
  rows.set(2, "two");
  rows.set(2, "two again");
  expect([rows.get(1), rows.get(2)]).toEqual(["one", "two again"]);
  rows.set(3, "three");
  expect([rows.get(1), rows.get(2), rows.get(3)]).toEqual([undefined, undefined, "three"]);
});

test("a stream that was empty is read again once somebody has written to it, here or elsewhere", async () => {
  const [one, other] = [await open(), await open()];
  const beside = await open(one.file);
  const read = (tables: SqliteTables) => tables.readEvents({ stream: STREAM, after: 0, limit: 10 }).length;
  for (const { tables } of [one, other]) expect([read(tables), read(tables)]).toEqual([0, 0]);
  await beside.tables.transaction("process", () => beside.tables.addEvent(STREAM, said("elsewhere"), 1, null));
  await other.tables.transaction("process", () => other.tables.addEvent(STREAM, said("here"), 1, null));
  expect([read(one.tables), read(other.tables)]).toEqual([1, 1]);
  for (const { tables } of [one, other, beside]) await tables.close();
});
