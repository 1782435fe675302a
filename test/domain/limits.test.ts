import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_SETTINGS, type LimitWishes, limitsOf, type Settings } from "../../src/domain/limits.ts";
import { Limits } from "../../src/schema/index.ts";
import { sampleDefinition } from "./samples.ts";

const MINUTE = 60_000;
const silent = sampleDefinition();
const settings: Settings = {
  ...DEFAULT_SETTINGS,
  timeoutMs: 5 * MINUTE,
  maxRuntimeMins: 10,
  maxTurns: 30,
  maxOutputKb: 100,
};

describe("the time that a task gets", () => {
  const strict = sampleDefinition({ timeout_mins: 2 });
  const patient = sampleDefinition({ timeout_mins: 60 });

  it.each([
    ["the settings', if nobody says more", silent, {}, 5 * MINUTE],
    ["the agent's over the settings'", strict, {}, 2 * MINUTE],
    ["the caller's over the agent's, lower", strict, { timeoutMs: MINUTE }, MINUTE],
    ["the caller's over the agent's, higher", strict, { timeoutMs: 4 * MINUTE }, 4 * MINUTE],
    ["the caller's over the settings'", silent, { timeoutMs: 7 * MINUTE }, 7 * MINUTE],
    ["never above the longest, for an agent", patient, {}, 10 * MINUTE],
    ["never above the longest, for a caller", silent, { timeoutMs: 3_600 * MINUTE }, 10 * MINUTE],
    ["half a minute, where an agent says so", sampleDefinition({ timeout_mins: 0.5 }), {}, MINUTE / 2],
    ["a whole number of milliseconds", sampleDefinition({ timeout_mins: 0.000_03 }), {}, 2],
    ["at least a millisecond", sampleDefinition({ timeout_mins: 0.000_000_1 }), {}, 1],
  ] as const)("is %s", (_, definition, wishes, expected) => {
    expect(limitsOf(definition, wishes, settings).timeoutMs).toBe(expected);
  });

  it("is never above the longest, for the settings themselves", () => {
    expect(limitsOf(silent, {}, { ...settings, timeoutMs: 99 * MINUTE }).timeoutMs).toBe(10 * MINUTE);
  });
});

describe("turns and output", () => {
  const terse = sampleDefinition({ max_turns: 3, max_output_kb: 7 });

  it.each([
    ["from the settings", silent, {}, 30, 100],
    ["from the agent", terse, {}, 3, 7],
    ["from the caller, who may say how many turns", terse, { maxTurns: 9 }, 9, 7],
  ] as const)("come %s", (_, definition, wishes, maxTurns, maxOutputKb) => {
    expect(limitsOf(definition, wishes, settings)).toMatchObject({ maxTurns, maxOutputKb });
  });
});

describe("the budget", () => {
  const thrifty = sampleDefinition({ budget_usd: 2, max_tokens: 500 });

  it.each([
    ["is unlimited, if nobody limits it", silent, {}, { microUsd: null, tokens: null }],
    ["is the agent's", thrifty, {}, { microUsd: 2_000_000, tokens: 500 }],
    ["is the caller's", silent, { budgetUsd: 3, maxTokens: 9 }, { microUsd: 3_000_000, tokens: 9 }],
    ["is lowered by a caller", thrifty, { budgetUsd: 0.5, maxTokens: 20 }, { microUsd: 500_000, tokens: 20 }],
    ["is not raised by a caller", thrifty, { budgetUsd: 50, maxTokens: 9_000 }, { microUsd: 2_000_000, tokens: 500 }],
    ["is lowered in one unit only", thrifty, { maxTokens: 20 }, { microUsd: 2_000_000, tokens: 20 }],
    ["is nothing, if a caller says so", thrifty, { budgetUsd: 0 }, { microUsd: 0, tokens: 500 }],
  ] as const)("%s", (_, definition, wishes, expected) => {
    expect(limitsOf(definition, wishes, settings).budget).toEqual(expected);
  });

  it.each([
    [0.1 + 0.2, 300_000],
    [0.29, 290_000],
    [4.35, 4_350_000],
    [1.1, 1_100_000],
    [0.000_001, 1],
    [0.000_000_6, 1],
    [0.000_000_4, 0],
  ])("of %d dollars is %d millionths, without a trace of floating point", (budgetUsd, expected) => {
    expect(limitsOf(silent, { budgetUsd }, settings).budget.microUsd).toBe(expected);
  });

  it("counts every amount of millionths exactly", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000_000 }), (micro) => {
        expect(limitsOf(silent, { budgetUsd: micro / 1_000_000 }, settings).budget.microUsd).toBe(micro);
      }),
    );
  });
});

describe("the limits of any task", () => {
  const usd = fc.double({ min: 0.01, max: 1_000, noNaN: true });
  const count = fc.integer({ min: 1, max: 1_000_000 });
  const anyWishes: fc.Arbitrary<LimitWishes> = fc.record(
    { timeoutMs: count, maxTurns: count, budgetUsd: usd, maxTokens: count },
    { requiredKeys: [] },
  );
  const anyAgent = fc
    .record({ timeout_mins: usd, max_turns: count, max_tokens: count, budget_usd: usd }, { requiredKeys: [] })
    .map((fields) => sampleDefinition(fields));

  it("are valid, within the longest time, and never above the agent's own budget", () => {
    fc.assert(
      fc.property(anyAgent, anyWishes, (agent, wishes) => {
        const limits = limitsOf(agent, wishes, settings);
        const own = limitsOf(agent, {}, settings).budget;
        expect(Limits.parse(limits)).toEqual(limits);
        expect(limits.timeoutMs).toBeLessThanOrEqual(settings.maxRuntimeMins * MINUTE);
        expect(limits.budget.microUsd ?? Infinity).toBeLessThanOrEqual(own.microUsd ?? Infinity);
        expect(limits.budget.tokens ?? Infinity).toBeLessThanOrEqual(own.tokens ?? Infinity);
      }),
    );
  });

  it("are, out of the box, ten at once, ten minutes and thirty turns", () => {
    expect(DEFAULT_SETTINGS).toMatchObject({ maxConcurrent: 10, maxTurns: 30, maxDepth: 3 });
    expect(limitsOf(silent, {}, DEFAULT_SETTINGS)).toEqual({
      timeoutMs: 10 * MINUTE,
      maxTurns: 30,
      maxOutputKb: 100,
      budget: { microUsd: null, tokens: null },
    });
  });
});
