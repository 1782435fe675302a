import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileRegistry, joinRegistries, memoryRegistry, trustFile } from "../../src/definitions/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import type { Clock } from "../../src/ports/index.ts";
import { temporaryFolder, write } from "./temporary-folder.ts";

const agent = (description: string) => `description: ${description}\n`;

/** Long waits end when the test says so, short ones at once. */
function steppedClock() {
  const sleeping = new Set<() => void>();
  let asleep = Promise.withResolvers<void>();
  const clock: Clock = {
    ...systemClock,
    async sleep(ms, signal) {
      if (ms < 1_000 || signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve(), { once: true });
      sleeping.add(resolve);
      asleep.resolve();
      await promise;
      sleeping.delete(resolve);
    },
  };
  /** Twice: a look that had begun before may have missed what came after. */
  const look = async () => {
    for (let round = 0; round < 2; round++) {
      await asleep.promise;
      asleep = Promise.withResolvers<void>();
      for (const wake of sleeping) wake();
      await asleep.promise;
    }
  };
  return { clock, look, sleeping };
}

async function setUp(clock: Clock) {
  const root = await temporaryFolder();
  await write(root, {
    "project/agents/a.yml": agent("one"),
    "user/readme": "",
    "user/new/deep/b.yml": agent("two"),
    "user/other.yml": agent("another"),
  });
  const trust = trustFile(join(root, "home/trust.json"), systemClock);
  const at = (path: string) => join(root, path);
  const registry = fileRegistry({
    trust,
    clock,
    layers: [
      { folder: at("project/agents"), label: "project", trustRoot: at("project") },
      { folder: at("user/agents"), label: "user", trustRoot: null, isRecursive: true },
    ],
  });
  return { at, trust, registry };
}

describe("watching agents", () => {
  it("tells once of each change: another text, a new folder, a file that is gone, trust", async () => {
    const { clock, look, sleeping } = steppedClock();
    const { at, trust, registry } = await setUp(clock);
    const controller = new AbortController();
    let told = 0;
    const watching = joinRegistries(memoryRegistry([]), registry).watch?.(() => (told += 1), controller.signal);
    const changes: [() => Promise<unknown>, number][] = [
      [() => rename(at("user/other.yml"), at("project/agents/a.yml")), 1],
      [() => rename(at("user/new"), at("user/agents")), 2],
      [() => writeFile(at("user/readme"), "nothing that matters"), 2],
      [() => trust.grant(at("project")), 3],
      [() => rm(at("project/agents/a.yml")), 4],
      [() => mkdir(at("user/agents/empty")), 4],
    ];
    await look();
    expect(told).toBe(1); // that it listens
    for (const [change, expected] of changes) {
      await change();
      await look();
      expect(told).toBe(1 + expected);
    }
    controller.abort();
    await watching;
    expect(sleeping.size).toBe(0);
  });

  it("hears of a change from the machine, without waiting for the next look", { timeout: 20_000 }, async () => {
    // Of real time only the debounce is needed: looking now and then would take longer than this test may.
    const listens = Promise.withResolvers<void>();
    const clock = {
      ...systemClock,
      sleep: (ms: number, signal: AbortSignal) => {
        if (ms > 1_000) listens.resolve();
        return systemClock.sleep(ms > 1_000 ? 3_600_000 : 1, signal);
      },
    };
    const root = await temporaryFolder();
    await mkdir(join(root, "agents"));
    const trust = trustFile(join(root, "home/trust.json"), systemClock);
    const registry = fileRegistry({
      trust,
      clock,
      layers: [{ folder: join(root, "agents"), label: "user", trustRoot: null }],
    });
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    let changed = Promise.withResolvers<void>();
    const watching = registry.watch?.(() => changed.resolve(), controller.signal);
    await listens.promise; // until then a change may be part of what it compares with
    changed = Promise.withResolvers();
    await writeFile(join(root, "agents/a.yml"), agent("one"));
    await changed.promise;
    expect((await registry.list()).agents).toHaveLength(1);
    controller.abort();
    await watching;
  });

  it("tells also of what came between the caller's own look and its first one", async () => {
    const { clock } = steppedClock();
    const { at, registry } = await setUp(clock);
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    expect((await registry.list()).agents).toHaveLength(1);
    const changed = Promise.withResolvers<void>();
    await write(at("project/agents"), { "b.yml": agent("two") });
    const watching = registry.watch?.(() => changed.resolve(), controller.signal);
    await changed.promise;
    expect((await registry.list()).agents).toHaveLength(2);
    controller.abort();
    await watching;
  });
});
