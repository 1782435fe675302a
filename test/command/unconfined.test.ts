// That nothing confines a program is said while it runs; of one that is quick, in the same write as its end.
import { expect, it } from "vitest";
import { openCustody } from "../../src/custody/index.ts";
import type { Custody, HeldEntry, Store } from "../../src/ports/index.ts";
import { testWorld } from "../../src/testing/index.ts";
import { eventually } from "../custody/kit.ts";
import { factsOf } from "../engine/kit.ts";
import { withCommand } from "./kit.ts";

const custody = await openCustody();

/** Programs that have ended when they are started. */
const quick: Custody = {
  tier: "tracked",
  open: () => ({
    spawn: () => ({
      pid: undefined,
      stdout: nothing(),
      stderr: nothing(),
      exited: Promise.resolve({ kind: "exited", code: 0 }),
      write: async () => undefined,
      endInput: () => undefined,
      signal: () => undefined,
    }),
    endAll: async () => undefined,
  }),
  sweep: async () => 0,
};

async function* nothing(): AsyncGenerator<Uint8Array> {
  // it says nothing
}

function watchedWorld() {
  const world = testWorld();
  const writes: HeldEntry["type"][][] = [];
  const append: Store["append"] = (hold, entries, before) => {
    writes.push(entries.map(({ type }) => type));
    return world.store.append(hold, entries, before);
  };
  const store = new Proxy(world.store, {
    get(target, name) {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { world: { ...world, store }, writes };
}

it("is said while a program runs that takes its time", async () => {
  await using world = await withCommand(custody, ["sleep", "60"]);
  const task = await world.engine.start({ agent: "prog" });
  world.engine.work();
  await eventually("it is said", async () => factsOf(await world.engine.log(task.id), "note.taken").length === 1);
  expect((await world.engine.show(task.id)).status).toBe("running");
});

it("is written with the end of a program that has ended by then", async () => {
  const { world: shared, writes } = watchedWorld();
  await using world = await withCommand(quick, ["true"], {}, { world: shared });
  const task = await world.engine.run({ agent: "prog" });
  expect(task.outcome).toMatchObject({ status: "completed", answer: "" });
  expect(writes.filter((types) => types.includes("note.taken"))).toEqual([expect.arrayContaining(["task.ended"])]);
});

it("is not said of a program that was never started", async () => {
  await using world = await withCommand(custody, ["./no-such-file"]);
  const task = await world.engine.run({ agent: "prog" });
  expect(task.outcome).toMatchObject({ status: "failed", reason: "backend_unavailable" });
  expect(factsOf(await world.engine.log(task.id), "note.taken")).toEqual([]);
});
