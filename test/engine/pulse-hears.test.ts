// What the pulse hears, and when it has to read the log for it: what was written here the bell has said already.
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Pulse, type PulseKey } from "../../src/engine/pulse.ts";
import type { Bell, Store, Written } from "../../src/ports/index.ts";
import type { Envelope } from "../../src/schema/index.ts";
import { memoryStore } from "../../src/stores/memory/memory-store.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint } from "../../src/testing/index.ts";
import {
  admission,
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

/** A pulse on the store that has read what stands there. Keys are noted when they ring, if they are watched. */
async function pulseOf(store: Store) {
  const reads = vi.spyOn(store, "read");
  const pulse = new Pulse();
  const stop = new AbortController();
  const done = pulse.run(store, await store.head(), stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  const rung: PulseKey[] = [];
  const watch = (...keys: PulseKey[]) => keys.forEach((key) => void pulse.watch(key, () => rung.push(key)));
  await fakeClock().settle();
  expect(reads).toHaveBeenCalledTimes(1);
  reads.mockClear();
  return { pulse, reads, rung, watch };
}

async function handles() {
  const file = join(freshFolder("pulse"), "cadre.db");
  const clock = fakeClock();
  const open = async () => {
    const store = await sqliteStore(file, clock, fakeMint());
    onTestFinished(() => store.close());
    return store;
  };
  return { store: await open(), other: await open() };
}

const STORES = {
  memory: async () => memoryStore(fakeClock()),
  SQLite: async () => (await handles()).store,
};

test.each(Object.entries(STORES))("what is written here wakes who waits, and nothing is read (%s)", async (_, open) => {
  const store = await open();
  const { pulse, reads, rung, watch } = await pulseOf(store);
  const { id } = admission();
  watch("queue", "slots", `task:${id}`, `hold:${id}`, `end:${id}`);
  await admitted(store, {}, { id });
  expect(rung.splice(0)).toEqual(expect.arrayContaining(["queue", `task:${id}`]));
  const hold = await claimed(store);
  expect(rung.splice(0)).toEqual([`task:${id}`, `hold:${id}`]);
  const never = new AbortController().signal;
  const ended = pulse.until(`end:${id}`, never, async () => (await store.task(id))?.outcome ?? undefined);
  await store.append(hold, [{ type: "message.said", text: "hm" }]);
  expect(rung.splice(0)).toEqual([`task:${id}`]);
  await store.command(id, { type: "send", text: "well?", by: "ada" });
  expect(rung.splice(0)).toEqual([`task:${id}`, `hold:${id}`]);
  await store.append(hold, [{ type: "task.ended", outcome: completed }]);
  expect(rung.splice(0).toSorted()).toEqual([`end:${id}`, `hold:${id}`, "slots", `task:${id}`]);
  await expect(ended).resolves.toEqual(completed);
  expect(reads).not.toHaveBeenCalled();
});

test.each(Object.entries(STORES))("room in a budget is heard of, however it came about (%s)", async (_, open) => {
  const store = await open();
  const limits = { ...(await admitted(store)).spec.limits, budget: { microUsd: null, tokens: 100 } };
  const hold = await running(store, { limits });
  const { rung, watch } = await pulseOf(store);
  watch("budgets");
  const call = someReservation();
  await reserve(store, hold, call, { microUsd: 0, tokens: 50 });
  await reserve(store, hold, someReservation(), { microUsd: 0, tokens: 50 }, "later");
  expect(rung).toEqual([]);
  await settle(store, hold, call, { microUsd: 0, tokens: 5 });
  expect(rung.splice(0)).toEqual(["budgets"]);
  await store.interrupt(hold.worker, "killed");
  rung.splice(0);
  await store.command(hold.task, { type: "stop", by: "ada" }); // which frees what was kept for later
  expect(rung).toEqual(["budgets"]);
});

test("all of one commit rings each key once", async () => {
  const { store } = await handles();
  const { reads, rung, watch } = await pulseOf(store);
  watch("queue");
  await store.admit([admission(), admission(), admission()]);
  expect(rung).toEqual(["queue"]);
  expect(reads).not.toHaveBeenCalled();
});

test("what is claimed as it is admitted is nothing that anybody could claim", async () => {
  const { store, other } = await handles();
  const { rung, watch } = await pulseOf(store);
  const elsewhere = await pulseOf(other);
  for (const pulse of [{ watch }, elsewhere]) pulse.watch("queue", "slots");
  await store.admit([admission(), admission()], undefined, claimRequest({ most: 2 }));
  await store.admit([admission()], undefined, claimRequest());
  await fakeClock().settle();
  expect([rung, elsewhere.rung]).toEqual([[], []]);
  await store.admit([admission(), admission()], undefined, claimRequest());
  await expect.poll(() => [rung, elsewhere.rung]).toEqual([["queue"], ["queue"]]);
});

test("what is written here at the same time is heard once, in its order, also where some wait for the disk", async () => {
  const { store } = await handles();
  const { rung, watch } = await pulseOf(store);
  const admissions = Array.from({ length: 10 }, (_, index) => admission({}, { isAwaited: index % 2 === 0 }));
  const keys = admissions.map(({ id }) => `task:${id}` as const);
  watch(...keys);
  await Promise.all(admissions.map((one) => store.admit([one])));
  await expect.poll(() => rung).toHaveLength(keys.length);
  await fakeClock().settle();
  expect(rung).toEqual(keys);
});

test("what another handle has written in between is heard first, and nothing is missed", async () => {
  const { store, other } = await handles();
  const { reads, rung, watch } = await pulseOf(store);
  const [here, there, after] = [admission(), admission(), admission()];
  watch(...[here, there, after].map(({ id }) => `task:${id}` as const));
  await store.admit([here]);
  expect(rung).toEqual([`task:${here.id}`]);
  await other.admit([there]);
  await store.admit([after]);
  await expect.poll(() => rung).toHaveLength(3);
  expect(rung).toEqual([here, there, after].map(({ id }) => `task:${id}`));
  expect(reads).toHaveBeenCalled();
});

test("what another handle alone writes is heard", async () => {
  const { store, other } = await handles();
  const { rung, watch } = await pulseOf(store);
  const there = admission();
  watch(`task:${there.id}`);
  await other.admit([there]);
  await expect.poll(() => rung).toEqual([`task:${there.id}`]);
});

test("whatever two handles write at the same time is heard once, in the order of the log", async () => {
  const { store, other } = await handles();
  const { rung, watch } = await pulseOf(store);
  const admissions = Array.from({ length: 60 }, (_, index) => admission({}, { isAwaited: index % 3 === 0 }));
  watch(...admissions.map(({ id }) => `task:${id}` as const));
  const halves = [admissions.slice(0, 30), admissions.slice(30)];
  await Promise.all(
    [store, other].map(async (handle, index) => {
      const works: Promise<unknown>[] = [];
      for (const [at, one] of (halves[index] ?? []).entries()) {
        const work = handle.admit([one]);
        works.push(work);
        if (at % 4 === 3) await work;
      }
      await Promise.all(works);
    }),
  );
  await expect.poll(() => rung).toHaveLength(admissions.length);
  await fakeClock().settle();
  const log = await other.read({ after: 0, limit: 10_000 });
  const inOrder = log.flatMap(({ stream }) => (stream.startsWith("task:") ? [stream] : []));
  expect(inOrder).toHaveLength(admissions.length);
  expect(rung).toEqual(inOrder);
});

/** A store whose bell and whose reading are in the hands of the test. */
function byHand() {
  const log: Envelope[] = [];
  let ring: Bell = () => undefined;
  const gates: (() => void)[] = [];
  const isHeldUp = { now: false };
  const read: Store["read"] = async ({ after, limit }) => {
    const page = log.filter(({ position }) => position > after).slice(0, limit);
    if (isHeldUp.now) await new Promise<void>((resolve) => gates.push(resolve));
    return page;
  };
  const subscribe: Store["subscribe"] = (bell) => {
    ring = bell;
    return { [Symbol.dispose]: () => undefined };
  };
  const store: Store = Object.assign(memoryStore(fakeClock()), { read, subscribe });
  /** Written, and not yet told. */
  const write = (): Written => {
    const { id: task } = admission();
    const stream = `task:${task}` as const;
    const event = { type: "message.said", text: "hm" } as const;
    const position = log.length + 1;
    log.push({ position, stream, seq: 1, at: 1, attempt: 1, event });
    return { position, stream, type: event.type };
  };
  return {
    store,
    write,
    ring: (...written: Written[]) => ring(written),
    holdUp: () => void (isHeldUp.now = true),
    goOn: () => {
      isHeldUp.now = false;
      for (const open of gates.splice(0)) open();
      return fakeClock().settle();
    },
  };
}

const keyOf = ({ stream }: Written): PulseKey => {
  if (!stream.startsWith("task:")) throw new Error(`${stream} is of no task`);
  return `task:${stream.slice("task:".length)}`;
};

test("a bell with nothing to say makes it read; one that says what was heard already does not", async () => {
  const { store, write, ring } = byHand();
  const { reads, rung, watch } = await pulseOf(store);
  const [one, two] = [write(), write()];
  watch(keyOf(one), keyOf(two));
  ring();
  await fakeClock().settle();
  expect(reads).toHaveBeenCalledTimes(1);
  expect(rung).toEqual([keyOf(one), keyOf(two)]);
  ring(two);
  ring(one, two);
  await fakeClock().settle();
  expect(reads).toHaveBeenCalledTimes(1);
  expect(rung).toHaveLength(2);
  ring();
  await fakeClock().settle();
  expect(reads).toHaveBeenCalledTimes(2);
  expect(rung).toHaveLength(2);
});

test("bells that come in the wrong order are heard in the right one", async () => {
  const { store, write, ring } = byHand();
  const { rung, watch } = await pulseOf(store);
  const [one, two, three] = [write(), write(), write()];
  const keys = [one, two, three].map(keyOf);
  watch(...keys);
  ring(three);
  expect(rung).toEqual([]);
  ring(one, two);
  await fakeClock().settle();
  expect(rung).toEqual(keys);
});

test("what is rung while a page is read is neither missed nor heard twice", async () => {
  const { store, write, ring, holdUp, goOn } = byHand();
  const { rung, watch } = await pulseOf(store);
  const [elsewhere, known] = [write(), write()];
  watch(keyOf(elsewhere), keyOf(known));
  holdUp();
  ring(); // and the page has both
  await fakeClock().settle();
  ring(elsewhere);
  const later = write();
  const last = write();
  watch(keyOf(later), keyOf(last));
  ring(known, later);
  ring(last);
  await goOn();
  expect(rung).toEqual([elsewhere, known, later, last].map(keyOf));
  ring();
  await fakeClock().settle();
  expect(rung, "an old page takes nothing back").toHaveLength(4);
});

test("what comes after a page that was too old when it arrived is read", async () => {
  const { store, write, ring, holdUp, goOn } = byHand();
  const { rung, watch } = await pulseOf(store);
  const first = write();
  watch(keyOf(first));
  holdUp();
  ring();
  await fakeClock().settle();
  const [elsewhere, here] = [write(), write()];
  watch(keyOf(elsewhere), keyOf(here));
  ring(here); // beyond what the page has
  await goOn();
  expect(rung).toEqual([first, elsewhere, here].map(keyOf));
});
