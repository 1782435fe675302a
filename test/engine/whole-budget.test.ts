// What is set aside for a backend that cannot say what one call costs, and what becomes of it.
import { describe, expect, it } from "vitest";
import { spentWords } from "../../src/domain/cost-words.ts";
import type { Cost } from "../../src/schema/index.ts";
import {
  answers,
  hangs,
  memoryWorkspaces,
  registryOf,
  type Script,
  scriptedBackend,
  startEngine,
  testWorld,
} from "../../src/testing/index.ts";
import { factsOf, withWorker } from "./kit.ts";

const AT_END = { capabilities: { usage: "at-end" } } as const;

const fails =
  (reason: "backend_unavailable" | "backend_error" | "refused", spent?: Cost): Script =>
  async () => ({ kind: "failed", reason, message: "no", spent });

/** An agent with a budget on the first of two backends, or on the second. */
const withTwo = (first: Script, usage: "at-end" | "per-call") =>
  startEngine({
    registry: registryOf({ name: "worker", description: "Works.", backend: ["one", "two"], max_tokens: 100 }),
    backends: [
      scriptedBackend([first], { name: "one", capabilities: { usage } }),
      scriptedBackend([answers("done by the other")], { name: "two", ...AT_END }),
    ],
  });

describe("the whole budget", () => {
  it("is there for the next backend where the first was not", async () => {
    await using engine = await withTwo(fails("backend_unavailable"), "at-end");
    const { outcome } = await engine.run({ agent: "worker" });
    expect(outcome).toMatchObject({ status: "completed", answer: "done by the other" });
  });

  it("is not in the way of a backend that reserves call by call", async () => {
    const reserves: Script = async (_attempt, scope) => {
      const isReserved = (await scope.reserve({ microUsd: 0, tokens: 90 })) !== false;
      return { kind: "answered", answer: isReserved ? "reserved" : "short" };
    };
    await using engine = await withTwo(reserves, "per-call");
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ answer: "reserved" });
  });

  it("is free again where nothing was launched", async () => {
    const workspaces = { ...memoryWorkspaces(), prepare: () => Promise.reject(new Error("no such branch")) };
    await using engine = await withWorker([], { workspaces, agent: { budget_usd: 5 }, ...AT_END });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "failed", message: "no such branch" });
    expect(spentWords(task)).toBe("nothing");
  });

  it("is spent where nobody knows the price of what was used, and not once more", async () => {
    const unpriced = fails("backend_error", { microUsd: null, tokens: 40 });
    await using engine = await withWorker([unpriced, unpriced, unpriced], {
      agent: { budget_usd: 5, retry: { attempts: 3, on: ["backend_error"] } },
      ...AT_END,
    });
    const task = await engine.run({ agent: "worker" });
    expect(factsOf(await engine.log(task.id), "budget.settled")).toMatchObject([
      { reserved: { microUsd: 5_000_000 }, spent: { microUsd: 5_000_000, tokens: 40 }, isBound: true },
    ]);
    expect(task.outcome).toMatchObject({ status: "failed", reason: "budget" });
  });
});

it("waits for the calls that are in its way, and gets what they leave", async () => {
  const [second, taken, answered] = [1, 2, 3].map(() => Promise.withResolvers<void>());
  const inner = memoryWorkspaces();
  const workspaces = {
    ...inner,
    async prepare(...wish: Parameters<typeof inner.prepare>) {
      const [task, attempt] = wish;
      if (task.spec.depth > 0 && attempt === 2) {
        second?.resolve();
        await taken?.promise;
      }
      return inner.prepare(...wish);
    },
  };
  const leads: Script = async (_attempt, scope) => {
    const child = await scope.delegate({ agent: "worker", prompt: "x", background: true });
    if (child.kind !== "started") throw new Error(child.message);
    await second?.promise;
    const call = await scope.reserve({ microUsd: 0, tokens: 90 });
    if (call === false) throw new Error("there is no room for the call");
    taken?.resolve();
    await answered?.promise;
    await scope.append({ type: "settle", reservation: call, spent: { microUsd: 0, tokens: 30 } });
    return { kind: "answered", answer: (await scope.outcomeOf(child.child)).outcome?.answer ?? "nothing" };
  };
  const tells = fails("backend_error", { microUsd: 0, tokens: 10 });
  await using engine = await startEngine({
    workspaces,
    registry: registryOf(
      { name: "lead", description: "Leads.", backend: "loop", max_tokens: 100, tools: ["Task(worker)"] },
      { name: "worker", description: "Works.", backend: "cli", retry: { attempts: 2, on: ["backend_error"] } },
    ),
    backends: [
      scriptedBackend([leads], { name: "loop", capabilities: { usage: "per-call" } }),
      scriptedBackend([tells, answers("done")], { name: "cli", ...AT_END }),
    ],
  });
  const { id } = await engine.start({ agent: "lead" });
  engine.work();
  await expect
    .poll(async () => (await engine.world.store.tasks({ limit: 9 })).map(({ waitingOn }) => waitingOn))
    .toContain("budget");
  answered?.resolve();
  expect((await engine.until(id, "completed")).outcome).toMatchObject({ answer: "done" });
  const log = await engine.world.store.read({ after: 0, limit: 1_000 });
  const wholes = factsOf(log, "budget.reserved").filter(({ use }) => use === "whole");
  expect(wholes.at(-1)?.amount.tokens).toBe(60);
});

describe("what a backend took that nothing limits", () => {
  it("is unknown where its worker was killed", async () => {
    const world = testWorld();
    const dying = await withWorker([hangs()], { world, ...AT_END });
    const { id } = await dying.start({ agent: "worker" });
    dying.work();
    await dying.until(id, "running");
    await expect.poll(async () => factsOf(await dying.log(id), "budget.reserved").length).toBe(1);
    dying.kill();
    await using after = await withWorker([], { world, ...AT_END });
    after.work();
    expect(spentWords(await after.until(id, "interrupted"))).toBe("unknown");
  });

  it("is unknown where it had worked before it would not go on", async () => {
    const works: Script = async (_attempt, scope) => {
      await scope.append({ type: "turn.started", turn: 1 });
      return { kind: "failed", reason: "refused", message: "the peer refuses to go on" };
    };
    await using engine = await withWorker([works], AT_END);
    expect(spentWords(await engine.run({ agent: "worker" }))).toBe("unknown");
  });

  it("is nothing where it was never there", async () => {
    await using engine = await withWorker([fails("backend_unavailable")], AT_END);
    expect(spentWords(await engine.run({ agent: "worker" }))).toBe("nothing");
  });

  it("is at least what another attempt has told", async () => {
    const tells: Script = async () => ({ kind: "answered", answer: "a", spent: { microUsd: 5_000, tokens: 40 } });
    await using engine = await withWorker([fails("backend_error"), tells], {
      agent: { retry: { attempts: 2, on: ["backend_error"] } },
      ...AT_END,
    });
    expect(spentWords(await engine.run({ agent: "worker" }))).toBe("at least 40 tokens, $0.0050 + unknown");
  });
});
