// The SQLite store: what an append costs over a bare insert, and a page of many tasks over one of few.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../src/platform/system-clock.ts";
import type { Store } from "../src/ports/index.ts";
import { sqliteStore } from "../src/stores/sqlite/sqlite-store.ts";
import { admission, running } from "../src/testing/store-contract/given.ts";
import { fakeMint } from "../src/testing/index.ts";
import { interleaved, median, type Row, timed } from "./measure.ts";

const folder = mkdtempSync(join(tmpdir(), "cadre-bench-"));
const openAt = (name: string): Promise<Store> => sqliteStore(join(folder, name), systemClock, fakeMint());
const said = (n: number) => ({ type: "message.said", text: `This is what an agent said, number ${n}.` }) as const;

function bareDatabase(): (n: number) => void {
  const database = new DatabaseSync(join(folder, "bare.db"));
  database.exec(`
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
    CREATE TABLE events (position INTEGER PRIMARY KEY AUTOINCREMENT, stream TEXT, seq INTEGER, at INTEGER, attempt INTEGER, event TEXT);
    CREATE UNIQUE INDEX by_stream ON events (stream, seq);`);
  const insert = database.prepare("INSERT INTO events (stream, seq, at, attempt, event) VALUES (?, ?, ?, ?, ?)");
  let seq = 0;
  return (n) => {
    database.exec("BEGIN IMMEDIATE");
    insert.run("task:one", ++seq, Date.now(), 1, JSON.stringify(said(n)));
    database.exec("COMMIT");
  };
}

async function appends(): Promise<Row> {
  const store = await openAt("appends.db");
  const hold = await running(store);
  const bare = bareDatabase();
  const batch = 200;
  const samples = await interleaved(
    [
      {
        name: "bare",
        sample: () =>
          timed(() => {
            for (let n = 0; n < batch; n++) bare(n);
          }),
      },
      {
        name: "ours",
        sample: () =>
          timed(async () => {
            for (let n = 0; n < batch; n++) await store.append(hold, [said(n)]);
          }),
      },
    ],
    60,
  );
  await store.close();
  const [bareMs, oursMs] = [median(samples.get("bare") ?? []) / batch, median(samples.get("ours") ?? []) / batch];
  const ratio = bareMs / oursMs;
  return {
    what: "appends, as a share of a bare insert loop of the same durability",
    measured: `${ratio.toFixed(2)} (${(oursMs * 1000).toFixed(0)} µs against ${(bareMs * 1000).toFixed(0)} µs)`,
    wanted: "at least 0.5",
    holds: ratio >= 0.5,
  };
}

async function filled(name: string, tasks: number): Promise<Store> {
  const store = await openAt(name);
  const page = 500;
  for (let left = tasks; left > 0; left -= page) {
    await store.admit(Array.from({ length: Math.min(page, left) }, () => admission()));
  }
  return store;
}

const page = (store: Store): Promise<number> => timed(() => store.tasks({ limit: 50 }));

async function firstPage(): Promise<Row> {
  const few = await filled("few.db", 100);
  const many = await filled("many.db", 100_000);
  const samples = await interleaved(
    [
      { name: "few", sample: () => page(few) },
      { name: "many", sample: () => page(many) },
    ],
    30,
  );
  await Promise.all([few.close(), many.close()]);
  const [fewMs, manyMs] = [median(samples.get("few") ?? []), median(samples.get("many") ?? [])];
  return {
    what: "first page of `status` on 100,000 tasks, over that on 100",
    measured: `${(manyMs - fewMs).toFixed(2)} ms (${manyMs.toFixed(2)} against ${fewMs.toFixed(2)})`,
    wanted: "at most 50 ms",
    holds: manyMs - fewMs <= 50,
  };
}

export const storeRows = async (): Promise<Row[]> => [await appends(), await firstPage()];
