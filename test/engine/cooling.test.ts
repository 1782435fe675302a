import { describe, expect, test } from "vitest";
import { retryAfterIn } from "../../src/backends/cli/failure.ts";
import type { Backend } from "../../src/ports/index.ts";
import type { FailReason } from "../../src/schema/index.ts";
import { answers, registryOf, type Script, scriptedBackend, startEngine, testWorld } from "../../src/testing/index.ts";
import { factsOf } from "./kit.ts";

const limited =
  (reason: FailReason = "rate_limited", retryAfterMs?: number): Script =>
  async () => ({ kind: "failed", reason, message: "not now", retryAfterMs });

/** One that is paid by this key. */
const paid = (name: string, key: string, scripts: readonly Script[]): Backend => ({
  ...scriptedBackend(scripts, { name }),
  secrets: { names: async () => [key], neededBy: async () => [key] },
});

const registry = registryOf(
  { name: "worker", description: "Works.", backend: ["first", "second"] },
  { name: "only", description: "Works.", backend: "first" },
);
const SECOND = answers("by the second");

describe("a backend that was limited", () => {
  test("is not chosen until its time is over, and the log says until when", async () => {
    const first = paid("first", "A_KEY", [limited(), answers("by the first")]);
    await using engine = await startEngine({ registry, backends: [first, paid("second", "B_KEY", [SECOND, SECOND])] });
    const task = await engine.run({ agent: "worker" });
    expect(task.outcome).toMatchObject({ status: "completed", answer: "by the second" });
    const [note] = factsOf(await engine.log(task.id), "note.taken");
    expect(note?.text).toMatch(/^first \(A_KEY\) is not chosen by itself until \d{4}-/);
    expect((await engine.run({ agent: "worker" })).attempts).toMatchObject([{ backend: "second" }]);
    await engine.world.clock.advance(60_000);
    expect((await engine.run({ agent: "worker" })).outcome).toMatchObject({ answer: "by the first" });
  });

  test("is tried all the same by whoever names it, and where there is no other", async () => {
    const first = paid("first", "A_KEY", [limited(), answers("named"), answers("alone")]);
    await using engine = await startEngine({ registry, backends: [first, paid("second", "B_KEY", [SECOND])] });
    await engine.run({ agent: "worker" });
    expect((await engine.run({ agent: "worker", backend: "first" })).outcome).toMatchObject({ answer: "named" });
    expect((await engine.run({ agent: "only" })).outcome).toMatchObject({ answer: "alone" });
  });

  test("takes with it whoever is paid by the same key, and nobody else", async () => {
    const agents = registryOf({ name: "worker", description: "Works.", backend: ["first", "second", "third"] });
    const [second, third] = [paid("second", "A_KEY", []), paid("third", "C_KEY", [answers("by the third")])];
    const backends = [paid("first", "A_KEY", [limited("backend_unavailable")]), second, third];
    await using engine = await startEngine({ registry: agents, backends });
    const task = await engine.run({ agent: "worker" });
    expect(task.attempts.map(({ backend }) => backend)).toEqual(["first", "third"]);
  });

  test("rests as long as it says, in every process of the store", async () => {
    const world = testWorld();
    const backends = () => [
      paid("first", "A_KEY", [limited("rate_limited", 5_000)]),
      paid("second", "B_KEY", [SECOND]),
    ];
    await using one = await startEngine({ world, registry, backends: backends() });
    await one.run({ agent: "worker" });
    await using other = await startEngine({ world, registry, backends: backends() });
    expect((await other.run({ agent: "worker" })).attempts).toMatchObject([{ backend: "second" }]);
    expect(await world.store.coolDowns()).toMatchObject([{ account: "A_KEY", until: world.clock.now() + 5_000 }]);
  });

  test("has limits only where it is paid or logged in: a script of the user's own does not rest", async () => {
    const backends = [scriptedBackend([limited()], { name: "first" }), paid("second", "B_KEY", [SECOND])];
    await using engine = await startEngine({ registry, backends });
    await engine.run({ agent: "worker" });
    expect(await engine.world.store.coolDowns()).toEqual([]);
  });
});

test.each([
  ["Rate limit reached. Please try again in 1.5s.", 1_500],
  ["429: retry after 20 seconds", 20_000],
  ["Your quota will reset. Retry in 2h", 7_200_000],
  ["available again in 250 ms", 250],
  ["Claude AI usage limit reached|1700000060", 60_000],
  ["too many requests", undefined],
  ["there were 5 minutes of silence", undefined],
])("%s: that is %s ms", (words, ms) => {
  expect(retryAfterIn(words, 1_700_000_000_000)).toBe(ms);
});
