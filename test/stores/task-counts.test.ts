// What is kept in step with what is written, by two handles of one file, against what somebody reads who has just come.
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { foldTask } from "../../src/domain/fold-task.ts";
import { isHeld } from "../../src/domain/transitions.ts";
import type { HeldEntry, Hold, Store } from "../../src/ports/index.ts";
import type { TaskCommand, TaskView, WorkerId } from "../../src/schema/index.ts";
import { EmbeddedStore } from "../../src/stores/embedded/embedded-store.ts";
import { Database } from "../../src/stores/sqlite/database.ts";
import { SqliteTables } from "../../src/stores/sqlite/sqlite-tables.ts";
import { fakeClock, type FakeClock } from "../../src/testing/index.ts";
import { admission, claimRequest, completed, WORKER_A, WORKER_B } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

interface Handle {
  readonly store: Store;
  readonly tables: SqliteTables;
}

async function open(file: string, clock: FakeClock): Promise<Handle> {
  const database = await Database.open(file);
  await database.migrate(() => database.run("INSERT INTO meta VALUES ('id', 'store')"));
  const tables = new SqliteTables(file, database);
  return { tables, store: new EmbeddedStore(tables, clock) };
}

const WORKERS = [WORKER_A, WORKER_B];
const MOST_AT_ONCE = 4;

const handle = fc.nat(1);
const pick = fc.nat(50);
const wish = fc.record({
  do: fc.constantFrom(
    ...(["admit", "admit", "admit child", "claim", "claim", "claim many", "suspend", "regain", "regain"] as const),
    ...(["say", "say", "end", "give back", "interrupt", "stop", "send", "requeue", "all at once"] as const),
  ),
  handle,
  pick,
});
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

/** Two handles of one file, and what they hold. Each writes for any of the tasks. */
class Walk {
  readonly #file: string;
  readonly #clock = fakeClock();
  readonly #handles: Handle[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  async begin(): Promise<void> {
    for (let count = 0; count < 2; count++) this.#handles.push(await open(this.#file, this.#clock));
  }

  async end(): Promise<void> {
    await Promise.all(this.#handles.map(({ store }) => store.close()));
  }

  async act(what: Wish): Promise<void> {
    const { store } = this.#handles[what.handle] ?? this.#first();
    this.#clock.jump(1_000);
    switch (what.do) {
      case "admit":
        return void (await store.admit([admission(), admission()].slice(what.pick % 2)));
      case "admit child":
        return this.#withHeld(what.pick, async (_hold, { id, spec }) => {
          await store.admit([admission({ parent: id, root: spec.root, depth: spec.depth + 1 })]);
        });
      case "claim":
      case "claim many":
        return this.#claim(store, what.pick, what.do === "claim" ? 1 : 3);
      case "regain":
        return this.#withHeld(what.pick, async (hold) => void (await store.regain(hold, MOST_AT_ONCE)));
      case "suspend":
      case "say":
      case "end":
      case "give back":
        return this.#append(store, what.do, what.pick);
      case "interrupt":
        return void (await store.interrupt(this.#worker(what.pick).id, "killed"));
      case "stop":
      case "send":
      case "requeue":
        return this.#command(store, what.do, what.pick);
      case "all at once":
        return this.#allAtOnce(store, what.pick);
    }
  }

  async #claim(store: Store, which: number, most: number): Promise<void> {
    await store.claim(claimRequest({ worker: this.#worker(which), most, maxConcurrent: MOST_AT_ONCE }));
  }

  #append(store: Store, what: "suspend" | "say" | "end" | "give back", which: number): Promise<void> {
    return this.#withHeld(which, async (hold, { status, turns }) => {
      const entries: Readonly<Record<typeof what, readonly HeldEntry[]>> = {
        suspend: [{ type: "attempt.suspended", on: "timer" }],
        say: [
          { type: "turn.started", turn: turns + 1 },
          { type: "message.said", text: `${which}` },
        ],
        end: [{ type: "task.ended", outcome: completed }],
        "give back": [{ type: "task.requeued", backend: "tape", because: "retry", by: "it" }],
      };
      if (status === "running" || what === "say") await store.append(hold, entries[what]);
    });
  }

  async #command(store: Store, what: "stop" | "send" | "requeue", which: number): Promise<void> {
    const tasks = await this.#tasks();
    const task = tasks[which % Math.max(1, tasks.length)];
    const commands = {
      stop: { type: "stop", by: "ada" },
      send: { type: "send", text: `${which}`, by: "ada" },
      requeue: { type: "requeue", because: "retry", by: "ada" },
    } satisfies Record<typeof what, TaskCommand>;
    if (task !== undefined) await store.command(task.id, commands[what]);
  }

  /** In one commit, with one that fails and undoes it for all at first; the other handle comes between. */
  async #allAtOnce(store: Store, which: number): Promise<void> {
    const lost = { task: admission().id, attempt: 1, worker: WORKER_A.id };
    const other = this.#handles.find((one) => one.store !== store) ?? this.#first();
    const answers = await Promise.allSettled([
      store.admit([admission()]),
      this.#claim(store, which, 2),
      store.append(lost, []),
      this.#command(store, "stop", which),
      this.#claim(other.store, which + 1, 1),
    ]);
    const failed = answers.flatMap(({ status }, index) => (status === "rejected" ? [index] : []));
    if (failed.join() !== "2") throw new Error(`so it went: ${JSON.stringify(answers)}`);
  }

  /** Every number and every view: by the log, by one that has just come, and by each handle. */
  async all(): Promise<{ readonly log: Said; readonly others: readonly Said[] }> {
    const fresh = await open(this.#file, this.#clock);
    const log = await fresh.store.read({ after: 0, limit: 100_000 });
    const tasks = await fresh.store.tasks({ limit: 10_000 });
    const views = tasks.map(({ id }) => foldTask(id, log));
    const others = await Promise.all([fresh, ...this.#handles].map((one) => said(one, tasks)));
    await fresh.store.close();
    return {
      log: {
        computing: views.filter(({ status }) => status === "running").length,
        inTree: views.map(({ spec: { root } }) => views.filter(({ spec }) => spec.root === root).length),
        holders: [...new Set(views.map(({ holder }) => holder))].filter((holder) => holder !== null).toSorted(),
        views,
      },
      others,
    };
  }

  /** Asked for after every step: what nobody has asked for is not kept. */
  async look(): Promise<void> {
    for (const one of this.#handles) await said(one, (await this.#tasks()).slice(0, 3));
  }

  #worker(which: number) {
    return WORKERS[which % 2] ?? WORKER_A;
  }

  #first(): Handle {
    const [first] = this.#handles;
    if (first === undefined) throw new Error("it has not begun");
    return first;
  }

  #tasks(): Promise<readonly TaskView[]> {
    return this.#first().store.tasks({ limit: 10_000 });
  }

  async #withHeld(which: number, act: (hold: Hold, task: TaskView) => Promise<void>): Promise<void> {
    const held = (await this.#tasks()).filter(({ status }) => isHeld(status));
    const task = held[which % Math.max(1, held.length)];
    if (task === undefined || task.holder === null) return;
    await act({ task: task.id, attempt: task.attempts.length, worker: task.holder }, task);
  }
}

interface Said {
  readonly computing: number;
  readonly inTree: readonly number[];
  readonly holders: readonly WorkerId[];
  readonly views: readonly (TaskView | undefined)[];
}

async function said({ store, tables }: Handle, tasks: readonly TaskView[]): Promise<Said> {
  return {
    computing: tables.countComputing(),
    inTree: tasks.map(({ spec }) => tables.countInTree(spec.root)),
    holders: (await store.holders()).map(({ id }) => id).toSorted(),
    views: await Promise.all(tasks.map(({ id }) => store.task(id))),
  };
}

test("whatever two handles write, both count and show what the log says", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 10, maxLength: 60 }), async (wishes) => {
      const walk = new Walk(join(freshFolder("counts"), "cadre.db"));
      await walk.begin();
      for (const [index, what] of wishes.entries()) {
        await walk.act(what);
        await walk.look();
        if (index % 10 !== 9 && index < wishes.length - 1) continue;
        const { log, others } = await walk.all();
        expect(others).toEqual([log, log, log]);
      }
      await walk.end();
    }),
    { numRuns: 30 },
  );
});

test("a tree is full for one handle when the other has filled it", async () => {
  const file = join(freshFolder("counts"), "cadre.db");
  const clock = fakeClock();
  const [one, other] = [await open(file, clock), await open(file, clock)];
  const root = admission();
  await one.store.admit([root]);
  await one.store.claim(claimRequest());
  const child = () => admission({ parent: root.id, root: root.id, depth: 1 }, { maxPerRoot: 4 });
  const kinds = [];
  for (const { store } of [one, other, one, other, one]) kinds.push((await store.admit([child()])).kind);
  expect(kinds).toEqual(["admitted", "admitted", "admitted", "refused", "refused"]);
  await Promise.all([one.store.close(), other.store.close()]);
});

test("places at work that one handle takes and gives back are counted by the other", async () => {
  const file = join(freshFolder("counts"), "cadre.db");
  const clock = fakeClock();
  const [one, other] = [await open(file, clock), await open(file, clock)];
  await one.store.admit([admission(), admission(), admission()]);
  const claim = ({ store }: Handle) => store.claim(claimRequest({ maxConcurrent: 1 }));
  expect(await claim(other)).toMatchObject({ kind: "claimed" });
  expect([(await claim(one)).kind, (await claim(other)).kind]).toEqual(["full", "full"]);
  const [task] = await one.store.tasks({ status: ["running"], limit: 9 });
  if (task === undefined) throw new Error("none runs");
  const hold = { task: task.id, attempt: 1, worker: WORKER_A.id };
  await one.store.append(hold, [{ type: "attempt.suspended", on: "timer" }]);
  expect((await claim(other)).kind).toBe("claimed");
  expect((await claim(one)).kind).toBe("full");
  expect(await one.store.regain(hold, 1)).toBe(false);
  expect(await other.store.regain(hold, 2)).toBe(true);
  expect([one.tables.countComputing(), other.tables.countComputing()]).toEqual([2, 2]);
  await Promise.all([one.store.close(), other.store.close()]);
});
