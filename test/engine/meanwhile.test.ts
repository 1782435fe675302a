// What is done while something else is on its way, and what is not done again.
import { expect, test } from "vitest";
import type { Store } from "../../src/ports/index.ts";
import { answers, testWorld } from "../../src/testing/index.ts";
import { withWorker } from "./kit.ts";

/** A world whose store tells which verbs were called, and how each of its claims went. */
function toldWorld(override: Partial<Store>) {
  const world = testWorld();
  const verbs: string[] = [];
  const store = new Proxy(world.store, {
    get(target, name) {
      const own: unknown = Reflect.get(override, name) ?? Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      return (...args: unknown[]): unknown => {
        verbs.push(String(name));
        return Reflect.apply(own, target, args);
      };
    },
  });
  return { world: { ...world, store }, inner: world.store, verbs };
}

test("what was said before is looked up while the intention is on its way, and nothing is started before that", async () => {
  const written = Promise.withResolvers<void>();
  const append: Store["append"] = async (hold, entries, before) => {
    const appended = await inner.append(hold, entries, before);
    if (before === "effect") await written.promise;
    return appended;
  };
  const { world, inner, verbs } = toldWorld({ append });
  let hasBegun = false;
  const script = answers("done");
  await using engine = await withWorker(
    [
      async (...args) => {
        hasBegun = true;
        return script(...args);
      },
    ],
    { world },
  );
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(task.id, "running");
  expect(verbs).toContain("session");
  expect(hasBegun).toBe(false);
  written.resolve();
  await engine.until(task.id, "completed");
  expect(hasBegun).toBe(true);
});

test("a worker that is given one task after the other looks for dead ones only before the first", async () => {
  const { world, verbs } = toldWorld({});
  const many = Array.from({ length: 12 }, () => answers("done"));
  await using engine = await withWorker(many, { world, settings: { maxConcurrent: 12, rateLimitPerMin: 100 } });
  const tasks = [];
  for (const _ of many) tasks.push(await engine.start({ agent: "worker" }));
  verbs.length = 0;
  engine.work({ until: "idle" });
  for (const { id } of tasks) await engine.until(id, "completed");
  const claims = verbs.filter((verb) => verb === "claim" || verb === "holders");
  expect(claims.slice(0, 3)).toEqual(["holders", "claim", "claim"]);
});
