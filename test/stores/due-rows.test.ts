// A worker mostly knows already what comes next. It is never given anything but what really comes next.
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ClaimRequest, Hold, Store } from "../../src/ports/index.ts";
import { brandId, type TaskId, type TaskSpec, type TaskView } from "../../src/schema/index.ts";
import { memoryStore } from "../../src/stores/memory/memory-store.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { fakeClock, fakeMint, type FakeClock } from "../../src/testing/index.ts";
import { admission, admitted, claimRequest, completed, WORKER_A } from "../../src/testing/store-contract/given.ts";
import { freshFolder } from "../fresh-folder.ts";

const MANY = { maxConcurrent: 1_000, rateLimitPerMin: 10_000 };

interface Opened extends AsyncDisposable {
  readonly store: Store;
  readonly clock: FakeClock;
  /** Another handle on the same file. */
  readonly another: () => Promise<Store>;
}

async function opened(): Promise<Opened> {
  const clock = fakeClock();
  const file = join(freshFolder("due"), "cadre.db");
  const handles: Store[] = [];
  const another = async () => {
    const handle = await sqliteStore(file, clock, fakeMint());
    handles.push(handle);
    return handle;
  };
  return {
    store: await another(),
    clock,
    another,
    [Symbol.asyncDispose]: async () => void (await Promise.all(handles.map((handle) => handle.close()))),
  };
}

const claim = (store: Store, change: Partial<ClaimRequest> = {}) => store.claim(claimRequest({ ...MANY, ...change }));

/** The tasks that are given, or why there are none. */
async function given(store: Store, change: Partial<ClaimRequest> = {}): Promise<readonly TaskId[] | string> {
  const answer = await claim(store, change);
  return answer.kind === "claimed" ? answer.claims.map(({ task }) => task.id) : answer.kind;
}

async function holdOf(store: Store): Promise<Hold> {
  const answer = await claim(store);
  const [first] = answer.kind === "claimed" ? answer.claims : [];
  if (first === undefined) throw new Error(`not claimed: ${answer.kind}`);
  return first.hold;
}

async function several(store: Store, count: number, change: Partial<TaskSpec> = {}): Promise<readonly TaskView[]> {
  const tasks: TaskView[] = [];
  for (let index = 0; index < count; index++) tasks.push(await admitted(store, change));
  return tasks;
}

test("a task that is more urgent is claimed first, although it comes when a list is known", async () => {
  await using at = await opened();
  const [first, second, third] = await several(at.store, 3);
  expect(await given(at.store)).toEqual([first?.id]);
  const urgent = await admitted(at.store, { priority: 5 });
  expect(await given(at.store)).toEqual([urgent.id]);
  const lessUrgent = await admitted(at.store, { priority: 1 });
  expect(await given(at.store, { most: 2 })).toEqual([lessUrgent.id, second?.id]);
  expect(await given(at.store)).toEqual([third?.id]);
  expect(await given(at.store)).toBe("idle");
});

test("a task whose time comes while a list is known is claimed in its turn, and not before", async () => {
  await using at = await opened();
  const [first, second, third] = await several(at.store, 3);
  const later = await admitted(at.store, { priority: 9, notBefore: at.clock.now() + 1_000 });
  expect(await given(at.store)).toEqual([first?.id]);
  at.clock.jump(999);
  expect(await given(at.store)).toEqual([second?.id]);
  at.clock.jump(1);
  expect(await given(at.store)).toEqual([later.id]);
  expect(await given(at.store)).toEqual([third?.id]);
});

test("of more than are looked at ahead, all are given in their order, one by one and many at once", async () => {
  await using at = await opened();
  const tasks: TaskView[] = [];
  for (let index = 0; index < 120; index++) tasks.push(await admitted(at.store, { priority: index % 3 }));
  const order = tasks.toSorted((a, b) => b.spec.priority - a.spec.priority).map(({ id }) => id);
  const one: TaskId[] = [];
  for (let index = 0; index < 70; index++) one.push((await holdOf(at.store)).task);
  expect(one).toEqual(order.slice(0, 70));
  expect(await given(at.store, { most: 99 })).toEqual(order.slice(70));
  expect(await given(at.store)).toBe("idle");
});

test("where more are due than are looked at, one whose time comes is first a moment later", async () => {
  await using at = await opened();
  const tasks = await several(at.store, 40);
  const later = await admitted(at.store, { priority: 9, notBefore: at.clock.now() + 5 });
  expect(await given(at.store)).toEqual([tasks[0]?.id]);
  at.clock.jump(20);
  expect(await given(at.store)).toEqual([later.id]);
  expect(await given(at.store)).toEqual([tasks[1]?.id]);
});

test("all that was looked at ahead is stopped: what comes after it is claimed", async () => {
  await using at = await opened();
  const tasks = await several(at.store, 70);
  const other = await at.another();
  expect(await given(at.store)).toEqual([tasks[0]?.id]);
  for (const [index, { id }] of tasks.slice(1, 67).entries())
    await (index % 2 === 0 ? at.store : other).command(id, { type: "stop", by: "ada" });
  expect(await given(at.store, { most: 9 })).toEqual(tasks.slice(67).map(({ id }) => id));
});

test("what another handle claims, stops and admits in between is known", async () => {
  await using at = await opened();
  const other = await at.another();
  const [a, b, c, d] = await several(at.store, 4);
  expect(await given(at.store)).toEqual([a?.id]);
  expect(await given(other)).toEqual([b?.id]);
  if (c !== undefined) await other.command(c.id, { type: "stop", by: "ada" });
  const urgent = await admitted(other, { priority: 1 });
  expect(await given(at.store)).toEqual([urgent.id]);
  expect(await given(at.store)).toEqual([d?.id]);
  expect(await given(at.store)).toBe("idle");
  const last = await admitted(other);
  expect(await given(at.store)).toEqual([last.id]);
  expect(await given(other)).toBe("idle");
});

test("a task that was given back is claimed again before younger ones, whoever gave it back", async () => {
  await using at = await opened();
  const other = await at.another();
  const [first, second, third] = await several(at.store, 3);
  const requeued = { type: "task.requeued", backend: "tape", because: "retry", by: "its worker" } as const;
  for (const handle of [at.store, other]) {
    const hold = await holdOf(at.store);
    expect(hold.task).toBe(first?.id);
    await handle.append(hold, [requeued]);
  }
  expect(await given(at.store)).toEqual([first?.id]);
  expect(await given(at.store)).toEqual([second?.id]);
  await other.interrupt(WORKER_A.id, "killed");
  if (second !== undefined) await other.command(second.id, { type: "requeue", because: "recovery", by: "ada" });
  expect(await given(at.store)).toEqual([second?.id]);
  expect(await given(at.store)).toEqual([third?.id]);
});

test("a task that goes on with another backend is given to those that have it alone", async () => {
  await using at = await opened();
  const task = await admitted(at.store, { backends: ["tape", "command"] });
  const both = { backends: ["tape", "command"] } as const;
  expect(await given(at.store, { backends: ["command"] })).toBe("idle");
  const hold = await holdOf(at.store);
  await at.store.append(hold, [{ type: "task.requeued", backend: "command", because: "failover", by: "it" }]);
  expect(await given(at.store)).toBe("idle");
  expect(await given(at.store, both)).toEqual([task.id]);
});

test("requests for different trees, backends, needs and ways to start do not share their answers", async () => {
  await using at = await opened();
  const key = { name: "KEY", sha256: "k" };
  const manual = await admitted(at.store, { dispatch: "manual" });
  const foreign = await admitted(at.store, { backends: ["command"] });
  const picky = await admitted(at.store, { needs: [key] });
  const tree = await admitted(at.store);
  const plain = await admitted(at.store);
  const wrong = { has: [{ name: "KEY", sha256: "another" }] };
  for (let round = 0; round < 2; round++) {
    expect(await given(at.store, { root: picky.id })).toBe("idle");
    expect(await given(at.store, { root: picky.id, ...wrong })).toBe("idle");
    expect(await given(at.store, { root: foreign.id })).toBe("idle");
    expect(await given(at.store, { root: manual.id })).toBe("idle");
    expect(await given(at.store, { backends: ["none-of-these"] })).toBe("idle");
  }
  expect(await given(at.store, { root: plain.id })).toEqual([plain.id]);
  expect(await given(at.store)).toEqual([tree.id]);
  expect(await given(at.store)).toBe("idle");
  expect(await given(at.store, wrong)).toBe("idle");
  expect(await given(at.store, { has: [key] })).toEqual([picky.id]);
  expect(await given(at.store, { dispatch: ["manual"] })).toEqual([manual.id]);
  expect(await given(at.store, { backends: ["command"] })).toEqual([foreign.id]);
});

test("an idle answer says when the next is due, also after that one was stopped, here or elsewhere", async () => {
  await using at = await opened();
  const other = await at.another();
  const now = at.clock.now();
  const idle = (until: number | null) => ({ kind: "idle", until });
  const [soon, later, last] = [
    await admitted(at.store, { notBefore: now + 1_000 }),
    await admitted(at.store, { notBefore: now + 2_000 }),
    await admitted(at.store, { notBefore: now + 3_000 }),
  ];
  expect(await claim(at.store)).toEqual(idle(now + 1_000));
  expect(await claim(at.store, { root: later.id })).toEqual(idle(now + 2_000));
  await at.store.command(soon.id, { type: "stop", by: "ada" });
  expect(await claim(at.store)).toEqual(idle(now + 2_000));
  await other.command(later.id, { type: "stop", by: "ada" });
  expect(await claim(at.store)).toEqual(idle(now + 3_000));
  expect(await claim(at.store, { root: later.id })).toEqual(idle(null));
  await at.store.command(last.id, { type: "stop", by: "ada" });
  expect(await claim(at.store)).toEqual(idle(null));
  await admitted(other, { notBefore: now + 500 });
  expect(await claim(at.store)).toEqual(idle(now + 500));
});

test("an idle answer says nothing of a future task once it was claimed", async () => {
  await using at = await opened();
  const now = at.clock.now();
  const task = await admitted(at.store, { notBefore: now + 1_000 });
  expect(await claim(at.store)).toEqual({ kind: "idle", until: now + 1_000 });
  at.clock.jump(1_000);
  expect(await given(at.store)).toEqual([task.id]);
  expect(await claim(at.store)).toEqual({ kind: "idle", until: null });
});

// Whatever happens: what a store is asked for that keeps nothing beside its rows, and what this one says.

const KEY = { name: "KEY", sha256: "k" };
const PLACES = [undefined, { place: "project", scopes: ["src"] }, { place: "project", scopes: ["src/a"] }] as const;

const handle = fc.nat(1);
const pick = fc.nat(20);
const wish = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("admit" as const),
      handle,
      count: fc.constantFrom(1, 1, 2, 40),
      priority: fc.nat(2),
      notBefore: fc.constantFrom(null, null, 0, 40, 200),
      place: fc.nat(2),
      backend: fc.constantFrom("tape" as const, "tape" as const, "command" as const),
      isPicky: fc.boolean(),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      handle,
      most: fc.constantFrom(1, 1, 3),
      backends: fc.constantFrom(["tape"], ["tape", "command"]),
      has: fc.constantFrom([], [KEY]),
      mayCollide: fc.boolean(),
      root: fc.option(pick, { freq: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("stop" as const, "requeue" as const), handle, pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("end" as const, "give back" as const), handle, pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("interrupt" as const), handle }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(20, 40, 200) }) },
);
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

interface Answers<T> {
  readonly plain: T;
  readonly kept: T;
}

/** The same in a file with two handles and in plain rows. Both are asked. */
class Both {
  readonly #clock: FakeClock;
  readonly #handles: readonly Store[];
  readonly #plain: Store;
  readonly #holds: Hold[] = [];
  readonly #tasks: TaskId[] = [];
  #count = 0;

  constructor(clock: FakeClock, handles: readonly Store[]) {
    this.#clock = clock;
    this.#handles = handles;
    this.#plain = memoryStore(clock);
  }

  async act(what: Wish): Promise<Answers<unknown> | undefined> {
    switch (what.do) {
      case "pass":
        this.#clock.jump(what.ms);
        return undefined;
      case "admit": {
        const { priority, notBefore, place, backend, isPicky } = what;
        const writes = PLACES[place];
        const admissions = Array.from({ length: what.count }, () => {
          const name = String(++this.#count).padStart(4, "0");
          return admission(
            {
              priority,
              notBefore: notBefore === null ? null : this.#clock.now() + notBefore,
              backends: [backend],
              needs: isPicky ? [KEY] : [],
              ...(writes === undefined ? {} : { writes: { place: writes.place, scopes: [...writes.scopes] } }),
            },
            { id: brandId("task", name) },
          );
        });
        this.#tasks.push(...admissions.map(({ id }) => id));
        return this.#asked(what.handle, (store) => store.admit(admissions));
      }
      case "claim": {
        const { most, backends, has, mayCollide } = what;
        const root = what.root === null ? undefined : this.#tasks[what.root];
        const answers = await this.#asked(what.handle, (store) =>
          claim(store, { most, backends, has, mayCollide, root }),
        );
        const { plain } = answers;
        if (plain.kind === "claimed") this.#holds.push(...plain.claims.map(({ hold }) => hold));
        return answers;
      }
      case "stop":
      case "requeue": {
        const id = this.#tasks[what.pick];
        if (id === undefined) return undefined;
        const command =
          what.do === "stop"
            ? ({ type: "stop", by: "ada" } as const)
            : ({ type: "requeue", because: "retry", by: "ada" } as const);
        return this.#asked(what.handle, (store) => store.command(id, command));
      }
      case "end":
      case "give back": {
        const [hold] = this.#holds.splice(what.pick % Math.max(1, this.#holds.length), 1);
        if (hold === undefined) return undefined;
        const entry =
          what.do === "end"
            ? ({ type: "task.ended", outcome: completed } as const)
            : ({ type: "task.requeued", backend: "tape", because: "retry", by: "it" } as const);
        return this.#asked(what.handle, (store) => store.append(hold, [entry]));
      }
      case "interrupt":
        this.#holds.length = 0;
        return this.#asked(what.handle, (store) => store.interrupt(WORKER_A.id, "killed"));
    }
  }

  async #asked<T>(which: number, ask: (store: Store) => Promise<T>): Promise<Answers<T>> {
    const [first] = this.#handles;
    const plain = await ask(this.#plain);
    return { plain, kept: await ask(this.#handles[which] ?? first ?? this.#plain) };
  }
}

test("whatever two handles do in turn, each is given what plain rows would give", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 15, maxLength: 50 }), async (wishes) => {
      await using at = await opened();
      const both = new Both(at.clock, [at.store, await at.another()]);
      for (const what of wishes) {
        const answers = await both.act(what);
        expect(answers?.kept).toEqual(answers?.plain);
      }
    }),
    { numRuns: 40 },
  );
});
