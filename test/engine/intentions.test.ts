// What has to be on the disk before something is done: asked of the store by whoever is about to do it.
import { expect, test } from "vitest";
import type { Gate, HeldEntry, Store } from "../../src/ports/index.ts";
import { answers, testWorld } from "../../src/testing/index.ts";
import { type Definition, withWorker, type WorkerOptions } from "./kit.ts";

interface Write {
  readonly types: readonly HeldEntry["type"][];
  readonly before: "effect" | undefined;
}

async function writesOf(options: WorkerOptions): Promise<Write[]> {
  const world = testWorld();
  const writes: Write[] = [];
  const append: Store["append"] = (hold, entries, before) => {
    writes.push({ types: entries.map(({ type }) => type), before });
    return world.store.append(hold, entries, before);
  };
  const store = new Proxy(world.store, {
    get(target, name) {
      const member: unknown = name === "append" ? append : Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  await using engine = await withWorker([answers("done")], { ...options, world: { ...world, store } });
  expect((await engine.run({ agent: "worker" })).status).toBe("completed");
  return writes;
}

const prepared = (writes: readonly Write[]) => writes.find(({ types }) => types.includes("attempt.prepared"));

test("a backend that does not write down each step runs only when its attempt is on the disk", async () => {
  expect(prepared(await writesOf({}))).toEqual({ types: ["attempt.prepared"], before: "effect" });
});

test("one that does writes it with what comes next, unless servers are started for it", async () => {
  const capabilities = { resume: "turn", mcpServers: true } as const;
  expect(prepared(await writesOf({ capabilities }))).toMatchObject({ before: undefined });
  const agent: Partial<Definition> = { mcp_servers: { files: { command: "files" } } };
  expect(prepared(await writesOf({ capabilities, agent }))).toMatchObject({ before: "effect" });
});

test("what was said is on the disk before a gate may run anything", async () => {
  const order: string[] = [];
  const gate: Gate = {
    name: "looks",
    check: async () => {
      order.push("checked");
      return { passed: true, independent: true };
    },
  };
  const writes = await writesOf({ gates: () => [gate], capabilities: { resume: "turn" } });
  const checked = writes.findIndex(({ types }) => types.includes("gate.checked"));
  expect(writes[checked - 1]?.before).toBe("effect");
  expect(order).toEqual(["checked"]);
});
