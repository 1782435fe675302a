import { describe, expect, test } from "vitest";
import type { AttemptScope, Gate } from "../../src/ports/index.ts";
import type { LivePart } from "../../src/schema/index.ts";
import {
  answers,
  memoryWorkspaces,
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
} from "../../src/testing/index.ts";
import { closeInTime, obeys, withWorker } from "./kit.ts";

test("a backend is not started for a task that was stopped while its workspace was prepared", async () => {
  const memory = memoryWorkspaces();
  const backend = scriptedBackend([answers("unreachable")]);
  await using engine = await startEngine({
    registry: registryOf({ name: "worker", description: "Works.", backend: "scripted" }),
    backends: [backend],
    workspaces: {
      modes: memory.modes,
      async prepare(task, attempt) {
        await engine.world.clock.sleep(1000, new AbortController().signal);
        return memory.prepare(task, attempt);
      },
    },
  });
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(task.id, "running");
  await engine.engine.stop(task.id, "ada");
  await engine.world.clock.advance(5000);
  await engine.until(task.id, "cancelled");
  expect(backend.starts).toBe(0);
  expect(memory.open).toBe(0);
});

describe("what a backend that was left behind says later is not taken:", () => {
  async function leftBehind(next: readonly Script[]) {
    let scope: AttemptScope | undefined;
    const parts: LivePart[] = [];
    const ignores: Script = (_attempt, given) => {
      scope = given;
      return new Promise(() => undefined);
    };
    const engine = await withWorker([ignores, ...next], { live: { write: (_task, part) => void parts.push(part) } });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(2000);
    await engine.until(task.id, "cancelled");
    if (scope === undefined) throw new Error("the backend was not started");
    return { engine, task, scope, parts };
  }

  test("live parts are not shown", async () => {
    const { engine, scope, parts } = await leftBehind([]);
    await using _engine = engine;
    scope.live({ type: "text-delta", text: "here I am" });
    expect(parts).toEqual([]);
  });

  test("it delegates nothing in the name of the attempt after it", async () => {
    const { engine, task, scope } = await leftBehind([obeys, answers("stolen")]);
    await using _engine = engine;
    await engine.engine.command(task.id, { type: "requeue", because: "retry", by: "ada" });
    await engine.until(task.id, "running");
    await scope.delegate({ agent: "worker", prompt: "for me" }).catch(() => undefined);
    expect((await engine.until(task.id, "running")).children).toEqual([]);
  });
});

describe("a task ends although", () => {
  test("its workspace cannot be released, and the worker goes on", async () => {
    const memory = memoryWorkspaces();
    const engine = await withWorker([answers("one"), answers("two")], {
      workspaces: {
        modes: memory.modes,
        prepare: async (task, attempt) => ({
          ...(await memory.prepare(task, attempt)),
          release: () => Promise.reject(new Error("EBUSY")),
        }),
      },
    });
    for (let round = 0; round < 2; round++) {
      const task = await engine.start({ agent: "worker" });
      engine.work();
      await engine.world.clock.settle();
      expect((await engine.show(task.id)).outcome).not.toBeNull();
    }
  });

  test("a gate does not come to an end", async () => {
    const gate: Gate = { name: "endless", check: () => new Promise(() => undefined) };
    const engine = await withWorker([answers("done")], { gates: [gate] });
    const task = await engine.start({ agent: "worker" });
    engine.work();
    await engine.until(task.id, "running");
    await engine.engine.stop(task.id, "ada");
    await engine.world.clock.advance(10_000);
    expect((await engine.show(task.id)).status).toBe("cancelled");
  });
});

test("a backend is closed also when a gate breaks", async () => {
  let closed = 0;
  const gate: Gate = { name: "broken", check: () => Promise.reject(new Error("bang")) };
  const script: Script = async () => ({
    kind: "answered",
    answer: "done",
    close: async () => {
      closed++;
      return undefined;
    },
  });
  await using engine = await withWorker([script], { gates: [gate] });
  await engine.run({ agent: "worker" });
  expect(closed).toBe(1);
});

test("what a backend has spent is known also when it was stopped", async () => {
  const reports: Script = (_attempt, { signal }) =>
    new Promise((resolve) => {
      const spent = { microUsd: 0, tokens: 5 };
      signal.addEventListener("abort", () =>
        resolve({ kind: "failed", reason: "backend_error", message: "stopped", spent }),
      );
    });
  await using engine = await withWorker([reports], { agent: { max_tokens: 100 }, capabilities: { usage: "at-end" } });
  const task = await engine.start({ agent: "worker" });
  engine.work();
  await engine.until(task.id, "running");
  await engine.engine.stop(task.id, "ada");
  expect((await engine.until(task.id, "cancelled")).spent.tokens).toBe(5);
});

test("a store that cannot be read is an error of the engine, not of the whole process", async () => {
  const unhandled: unknown[] = [];
  const keep = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", keep);
  const engine = await withWorker([]);
  engine.world.store.read = () => Promise.reject(new Error("disk gone"));
  await engine.start({ agent: "worker" }).catch(() => undefined);
  await engine.world.clock.settle();
  await closeInTime(engine).catch(() => undefined);
  process.off("unhandledRejection", keep);
  expect(unhandled).toEqual([]);
});
