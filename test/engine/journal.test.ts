import { describe, expect, test } from "vitest";
import { Journal } from "../../src/engine/journal.ts";
import type { HeldEntry, Store } from "../../src/ports/index.ts";
import { memoryStore } from "../../src/stores/memory/memory-store.ts";
import { fakeClock } from "../../src/testing/index.ts";
import { running, someReservation } from "../../src/testing/store-contract/given.ts";

const said = (text: string): HeldEntry => ({ type: "message.said", text });
const tokens = (count: number) => ({ microUsd: 0, tokens: count });

interface Write {
  readonly types: string[];
  readonly before: "effect" | undefined;
}

/** A real store, and what it was asked to append. With `hold`, appends wait until they are let go. */
async function opened({ isSlow = false, fails = 0 } = {}) {
  const store = memoryStore(fakeClock());
  const limits = { timeoutMs: 1, maxTurns: 1, maxOutputKb: 1, budget: { microUsd: null, tokens: 100 } };
  const hold = await running(store, { limits });
  const writes: Write[] = [];
  const waiting: (() => void)[] = [];
  let left = fails;
  const append: Store["append"] = async (who, entries, before) => {
    writes.push({ types: entries.map((entry) => ("text" in entry ? entry.text : entry.type)), before });
    if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve));
    if (left-- > 0) throw new Error("the disk is full");
    return store.append(who, entries, before);
  };
  const seen = new Proxy(store, {
    get: (target, name) => (name === "append" ? append : Reflect.get(target, name, target)),
  });
  const letGo = async () => {
    waiting.shift()?.();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  const typesInLog = async () => {
    const page = await store.read({ stream: `task:${hold.task}`, after: 0, limit: 100 });
    return page.map(({ event }) => ("text" in event ? event.text : event.type)).slice(2);
  };
  const clock = fakeClock();
  return { journal: new Journal(seen, hold), clock, writes, letGo, typesInLog };
}

describe("a journal", () => {
  test("what comes soon is written with what comes next, before it, in one transaction", async () => {
    const { journal, writes, typesInLog } = await opened();
    journal.soon(said("a"));
    journal.soon(said("b"));
    await Promise.resolve();
    expect(writes).toEqual([]);
    await journal.append(said("c"));
    expect(writes).toEqual([{ types: ["a", "b", "c"], before: undefined }]);
    expect(await typesInLog()).toEqual(["a", "b", "c"]);
  });

  test("what is said in the same breath is one transaction, and everybody is answered", async () => {
    const { journal, writes } = await opened();
    const [first, small, large] = [someReservation(), someReservation(), someReservation()];
    const [, fits, , short] = await Promise.all([
      journal.append(said("a")),
      journal.reserve(first, tokens(60)),
      journal.reserve(small, tokens(10), "later"),
      journal.reserve(large, tokens(50)),
    ]);
    expect(fits).toEqual({ kind: "reserved", reservation: first, amount: tokens(60) });
    expect(short).toEqual({ kind: "short", unit: "tokens", left: 30, isBusy: true });
    expect(writes).toHaveLength(1);
  });

  test("what comes while one is on its way shares the next", async () => {
    const { journal, writes, letGo } = await opened({ isSlow: true });
    const first = journal.append(said("a"));
    await Promise.resolve();
    const rest = Promise.all([journal.append(said("b")), journal.append(said("c"))]);
    await Promise.resolve();
    expect(writes.map(({ types }) => types)).toEqual([["a"]]);
    await letGo();
    expect((await first).lastSaid).toBe("a");
    await letGo();
    await rest;
    expect(writes.map(({ types }) => types)).toEqual([["a"], ["b", "c"]]);
  });

  test("what came soon while another was written waits for somebody who wants it", async () => {
    const { journal, writes, letGo } = await opened({ isSlow: true });
    const first = journal.append(said("a"));
    await Promise.resolve();
    journal.soon(said("b"));
    await letGo();
    await first;
    expect(writes).toHaveLength(1);
    const written = journal.written();
    await Promise.resolve();
    await letGo();
    await written;
    expect(writes.map(({ types }) => types)).toEqual([["a"], ["b"]]);
  });

  test("an intention is before an effect, whatever else goes along", async () => {
    const { journal, writes } = await opened();
    journal.soon(said("a"));
    await Promise.all([journal.intend(said("b")), journal.append(said("c"))]);
    await journal.append(said("d"));
    expect(writes).toEqual([
      { types: ["a", "b", "c"], before: "effect" },
      { types: ["d"], before: undefined },
    ]);
  });

  test("what nothing has taken along is written by itself in a moment", async () => {
    const { journal, clock, writes } = await opened();
    journal.soon(said("a"));
    journal.inAMoment(clock);
    journal.soon(said("b"));
    journal.inAMoment(clock);
    expect(writes).toEqual([]);
    await clock.advance(5);
    expect(writes.map(({ types }) => types)).toEqual([["a", "b"]]);
    journal.soon(said("c"));
    await clock.advance(100);
    expect(writes).toHaveLength(1);
  });

  test("what something has taken along meanwhile is not, nor is what comes after it", async () => {
    const { journal, clock, writes } = await opened();
    journal.soon(said("a"));
    journal.inAMoment(clock);
    await journal.append(said("b"));
    journal.soon(said("c"));
    await clock.advance(100);
    expect(writes.map(({ types }) => types)).toEqual([["a", "b"]]);
    journal.inAMoment(clock);
    await journal.end({ type: "task.interrupted", why: "over" });
    expect(clock.sleepers).toBe(0); // nor does anything wait for the moment any more
    await clock.advance(100);
    expect(writes.map(({ types }) => types)).toEqual([
      ["a", "b"],
      ["c", "task.interrupted"],
    ]);
  });

  test("what could not be written by itself goes along with what is written next", async () => {
    const { journal, clock, writes, typesInLog } = await opened({ fails: 1 });
    journal.soon(said("a"));
    journal.inAMoment(clock);
    await clock.advance(5);
    await journal.append(said("b"));
    expect(writes.map(({ types }) => types)).toEqual([["a"], ["a", "b"]]);
    expect(await typesInLog()).toEqual(["a", "b"]);
  });

  test("what is kept for later is written with what comes next, and answered then", async () => {
    const { journal, writes } = await opened();
    const [later, call] = [someReservation(), someReservation()];
    const kept = journal.reserveSoon(later, tokens(10), "later", {});
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(writes).toEqual([]);
    const reserved = await journal.reserve(call, tokens(90));
    expect(await kept).toEqual({ kind: "reserved", reservation: later, amount: tokens(10) });
    expect(reserved).toEqual({ kind: "reserved", reservation: call, amount: tokens(90) });
    expect(writes).toHaveLength(1);
  });

  test("what was to be kept and could not be written is told so, and is not written later in another's place", async () => {
    const { journal, clock, writes, typesInLog } = await opened({ fails: 1 });
    journal.soon(said("a"));
    const kept = journal.reserveSoon(someReservation(), tokens(60), "later", {});
    kept.catch(() => undefined);
    journal.inAMoment(clock);
    await clock.advance(10);
    await expect(kept).rejects.toThrow("the disk is full");
    const call = someReservation();
    expect(await journal.reserve(call, tokens(70))).toEqual({
      kind: "reserved",
      reservation: call,
      amount: tokens(70),
    });
    expect(writes.at(-1)?.types).toEqual(["a", "reserve"]);
    expect(await typesInLog()).toContain("a");
  });

  test("nor does the end leave it behind that comes while it is on its way", async () => {
    const { journal, clock, letGo, typesInLog } = await opened({ isSlow: true, fails: 1 });
    journal.soon(said("a"));
    journal.inAMoment(clock);
    await clock.advance(5);
    const ended = journal.end({ type: "task.interrupted", why: "over" });
    await letGo();
    await letGo();
    expect((await ended).status).toBe("interrupted");
    expect(await typesInLog()).toEqual(["a", "task.interrupted"]);
  });

  test("who comes before the moment is over is answered once, and nobody after that", async () => {
    const { journal, clock, typesInLog } = await opened({ fails: 1 });
    journal.soon(said("a"));
    journal.inAMoment(clock);
    const told = Promise.allSettled([journal.append(said("b"))]);
    await clock.advance(5);
    expect(await told).toMatchObject([{ status: "rejected", reason: { message: "the disk is full" } }]);
    await journal.append(said("c"));
    expect(await typesInLog()).toEqual(["c"]);
  });

  test("what cannot be written is told to all who wait for it, and to nobody after them", async () => {
    const { journal, typesInLog } = await opened({ fails: 1 });
    journal.soon(said("a"));
    const [one, other] = await Promise.allSettled([
      journal.append(said("b")),
      journal.reserve(someReservation(), tokens(1)),
    ]);
    expect([one.status, other.status]).toEqual(["rejected", "rejected"]);
    await journal.append(said("c"));
    expect(await typesInLog()).toEqual(["c"]);
  });

  test("after the last words nobody has more to say, also while they are on their way", async () => {
    const { journal, letGo, typesInLog } = await opened({ isSlow: true });
    const first = journal.append(said("a"));
    await Promise.resolve();
    const ended = journal.end({ type: "task.interrupted", why: "over" });
    expect(() => journal.soon(said("late"))).toThrow(expect.objectContaining({ code: "attempt.stale" }));
    await expect(journal.append(said("late"))).rejects.toMatchObject({ code: "attempt.stale" });
    await expect(journal.reserve(someReservation(), tokens(1))).rejects.toMatchObject({ code: "attempt.stale" });
    await letGo();
    await letGo();
    expect([(await first).lastSaid, (await ended).status]).toEqual(["a", "interrupted"]);
    expect(await typesInLog()).toEqual(["a", "task.interrupted"]);
  });

  test("the last words are written also where something that was said before them cannot be", async () => {
    const { journal, typesInLog } = await opened();
    journal.soon({ type: "settle", reservation: someReservation(), spent: tokens(1) });
    expect((await journal.end({ type: "task.interrupted", why: "over" })).status).toBe("interrupted");
    expect(await typesInLog()).toEqual([expect.stringContaining("could not be written"), "task.interrupted"]);
  });

  test("where there is nothing to write, nobody is asked", async () => {
    const { journal, writes } = await opened();
    await journal.written();
    expect(writes).toEqual([]);
  });
});
