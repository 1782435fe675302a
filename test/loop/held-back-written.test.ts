// What is kept for last words costs no write of its own: it goes along with the reservation of the first call.
import { expect, test } from "vitest";
import type { HeldEntry, Store } from "../../src/ports/index.ts";
import { scriptedModel, testWorld } from "../../src/testing/index.ts";
import { startLoop } from "./kit.ts";

test("it is set aside in the transaction that reserves the first call", async () => {
  const world = testWorld();
  const uses: string[][] = [];
  const append: Store["append"] = (hold, entries, before) => {
    const reserved = entries.filter(
      (entry): entry is Extract<HeldEntry, { type: "reserve" }> => entry.type === "reserve",
    );
    if (reserved.length > 0) uses.push(reserved.map(({ use }) => use));
    return world.store.append(hold, entries, before);
  };
  const store = new Proxy(world.store, {
    get: (target, name) => {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const models = scriptedModel([{ text: "the answer" }]);
  await using engine = await startLoop({ world: { ...world, store }, models });
  const { id } = await engine.start({ agent: "agent", limits: { maxTokens: 1_000_000 } });
  engine.work();
  await engine.until(id, "completed");
  expect(uses).toEqual([["later", "call"]]);
});
