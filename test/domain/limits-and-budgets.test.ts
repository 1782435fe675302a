import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addAmounts,
  type Ledger,
  mayFitSoon,
  openLedger,
  reserveIn,
  settleIn,
  shortfall,
  wholeCap,
} from "../../src/domain/budgets.ts";
import { DEFAULT_SETTINGS, type LimitWishes, limitsOf, type Settings } from "../../src/domain/limits.ts";
import { type Amount, type Budget, Limits, NOTHING, type ReservationUse } from "../../src/schema/index.ts";
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

const UNITS = ["microUsd", "tokens"] as const;
const amount = (microUsd: number, tokens: number): Amount => ({ microUsd, tokens });
const ledger = (limit: Budget, reserved: Amount = NOTHING, spent: Amount = NOTHING): Ledger => ({
  limit,
  reserved,
  calls: NOTHING,
  wholes: NOTHING,
  spent,
});

/** A tree of tasks with their ledgers. The parent of each stands before it. */
class Tree {
  readonly #parents: readonly (number | null)[];
  readonly #ledgers: Ledger[];
  readonly #open: { node: number; amount: Amount }[] = [];
  /** Counted by hand, to compare with what the ledgers say. */
  readonly #spent: { node: number; amount: Amount }[] = [];

  constructor(nodes: readonly { parent: number; limit: Budget }[]) {
    this.#parents = nodes.map(({ parent }, index) => (index === 0 ? null : parent % index));
    this.#ledgers = nodes.map(({ limit }) => openLedger(limit));
  }

  get ledgers(): readonly Ledger[] {
    return this.#ledgers;
  }

  /** A task and all that are above it, by their numbers. */
  #upFrom(node: number): number[] {
    const parent = this.#parents[node] ?? null;
    return parent === null ? [node] : [node, ...this.#upFrom(parent)];
  }

  chain(node: number): Ledger[] {
    return this.#upFrom(node).flatMap((one) => this.#ledgers[one] ?? []);
  }

  reserve(node: number, wanted: Amount): void {
    if (shortfall(this.chain(node), wanted) !== null) return;
    this.#open.push({ node, amount: wanted });
    this.#change(node, (one) => reserveIn(one, wanted, "call"));
  }

  settle(pick: number, share: number): void {
    const [open] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (open === undefined) return;
    const spent = amount(Math.floor(open.amount.microUsd * share), Math.floor(open.amount.tokens * share));
    this.#spent.push({ node: open.node, amount: spent });
    this.#change(open.node, (one) => settleIn(one, open.amount, spent, "call"));
  }

  #change(node: number, change: (ledger: Ledger) => Ledger): void {
    for (const one of this.#upFrom(node)) {
      const before = this.#ledgers[one];
      if (before !== undefined) this.#ledgers[one] = change(before);
    }
  }

  counted(): { reserved: Amount; spent: Amount }[] {
    const below = (entries: readonly { node: number; amount: Amount }[], top: number): Amount =>
      entries
        .filter(({ node }) => this.#upFrom(node).includes(top))
        .reduce((sum, entry) => addAmounts(sum, entry.amount), NOTHING);
    return this.#parents.map((_, node) => ({ reserved: below(this.#open, node), spent: below(this.#spent, node) }));
  }
}

const anyLimit = fc.option(fc.nat({ max: 300 }), { nil: null });
const anyTree = fc.array(fc.record({ parent: fc.nat(), limit: fc.record({ microUsd: anyLimit, tokens: anyLimit }) }), {
  minLength: 1,
  maxLength: 6,
});
const anyAmount = fc.record({ microUsd: fc.nat({ max: 120 }), tokens: fc.nat({ max: 120 }) });
const anySteps = fc.array(
  fc.oneof(
    fc.record({ node: fc.nat(), reserve: fc.oneof(anyAmount, fc.constant("whole" as const)) }),
    fc.record({ pick: fc.nat(), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  ),
  { maxLength: 30 },
);

/** Plays random reservations and settlements on a random tree and looks at it after each. */
function expectAlways(look: (tree: Tree) => void): void {
  fc.assert(
    fc.property(anyTree, anySteps, (nodes, steps) => {
      const tree = new Tree(nodes);
      look(tree);
      for (const step of steps) {
        if ("reserve" in step) {
          const node = step.node % nodes.length;
          tree.reserve(
            node,
            step.reserve === "whole" ? addAmounts(NOTHING, wholeCap(tree.chain(node)) ?? NOTHING) : step.reserve,
          );
        } else tree.settle(step.pick, step.share);
        look(tree);
      }
    }),
  );
}

const rest = ({ limit, reserved, spent }: Ledger, unit: (typeof UNITS)[number]): number =>
  (limit[unit] ?? Infinity) - reserved[unit] - spent[unit];

describe("in any tree, whatever is reserved and settled", () => {
  it("no task and no task above it ever exceeds its limit", () => {
    expectAlways((tree) => {
      for (const one of tree.ledgers) {
        for (const unit of UNITS) {
          expect(rest(one, unit)).toBeGreaterThanOrEqual(0);
          expect(one.reserved[unit]).toBeGreaterThanOrEqual(0);
        }
      }
    });
  });

  it("each ledger says what was reserved and spent in it and below it", () => {
    expectAlways((tree) => {
      expect(tree.ledgers.map(({ reserved, spent }) => ({ reserved, spent }))).toEqual(tree.counted());
    });
  });

  it("the whole that is left fits, unless some budget is empty: then nothing does", () => {
    expectAlways((tree) => {
      for (const [node] of tree.ledgers.entries()) {
        const chain = tree.chain(node);
        const isEmpty = chain.some((one) => UNITS.some((unit) => rest(one, unit) <= 0));
        const cap = wholeCap(chain) ?? NOTHING;
        expect(shortfall(chain, cap) !== null).toBe(isEmpty);
        expect(shortfall(chain, NOTHING) !== null).toBe(isEmpty);
      }
    });
  });

  it("the whole is all: of a limited unit, one more does not fit", () => {
    expectAlways((tree) => {
      for (const [node] of tree.ledgers.entries()) {
        const chain = tree.chain(node);
        for (const unit of UNITS) {
          const isLimited = chain.some(({ limit }) => limit[unit] !== null);
          const more = { ...NOTHING, [unit]: (wholeCap(chain)?.[unit] ?? 0) + 1 };
          const fitsEmpty = chain.every((one) => UNITS.every((other) => rest(one, other) > 0));
          expect(shortfall(chain, more) === null).toBe(!isLimited && fitsEmpty);
        }
      }
    });
  });
});

describe("what does not fit", () => {
  const own = ledger({ microUsd: 100, tokens: 50 }, amount(20, 10), amount(30, 10));
  const above = ledger({ microUsd: 60, tokens: null }, amount(20, 0), amount(30, 0));

  it.each([
    ["fits its own budget to the last", [own], amount(50, 30), null],
    ["is too dear", [own], amount(51, 30), { unit: "microUsd", left: 50 }],
    ["has too many tokens", [own], amount(50, 31), { unit: "tokens", left: 30 }],
    ["fits its own budget and not the one above", [own, above], amount(11, 1), { unit: "microUsd", left: 10 }],
    ["is held to no limit that nobody set", [above], amount(10, 1_000_000), null],
    ["is anything, where nothing limits it", [], amount(1_000_000, 1_000_000), null],
    [
      "has no known price, where money is limited",
      [own],
      { microUsd: null, tokens: 1 },
      { unit: "microUsd", left: 50 },
    ],
    ["has none, where it is limited above", [above], { microUsd: null, tokens: 1 }, { unit: "microUsd", left: 10 }],
    [
      "has none, where only tokens are limited",
      [ledger({ microUsd: null, tokens: 5 })],
      { microUsd: null, tokens: 5 },
      null,
    ],
    [
      "is nothing, against an empty budget",
      [ledger({ microUsd: 0, tokens: null })],
      NOTHING,
      { unit: "microUsd", left: 0 },
    ],
    [
      "is nothing, against a budget that is all promised",
      [ledger({ microUsd: null, tokens: 10 }, amount(0, 10))],
      NOTHING,
      { unit: "tokens", left: 0 },
    ],
    [
      "is nothing, against a budget that was overspent, of which nothing is left",
      [ledger({ microUsd: 10, tokens: null }, NOTHING, amount(15, 0))],
      NOTHING,
      { unit: "microUsd", left: 0 },
    ],
  ] as const)("an amount that %s", (_, chain, wanted, expected) => {
    expect(shortfall(chain, wanted)).toEqual(expected);
  });
});

describe("the whole that is left", () => {
  it.each([
    [
      "is the smallest rest of the chain, unit by unit",
      [ledger({ microUsd: 9, tokens: 5 }), ledger({ microUsd: 4, tokens: 8 })],
      amount(4, 5),
    ],
    ["asks for nothing of a unit that is not limited", [ledger({ microUsd: 9, tokens: null })], amount(9, 0)],
    ["has no price where money is not limited", [ledger({ microUsd: null, tokens: 5 })], { microUsd: null, tokens: 5 }],
    ["is no amount at all where nothing is limited", [ledger({ microUsd: null, tokens: null })], null],
    ["is never below nothing", [ledger({ microUsd: 10, tokens: null }, NOTHING, amount(15, 0))], NOTHING],
  ] as const)("%s", (_, chain, expected) => {
    expect(wholeCap(chain)).toEqual(expected);
  });
});

describe("what does not fit", () => {
  const budget = openLedger({ microUsd: null, tokens: 100 });
  const reserved = (...uses: readonly ReservationUse[]) =>
    uses.reduce((sum, use) => reserveIn(sum, amount(0, 50), use), budget);

  it.each<[boolean, string, Ledger, number]>([
    [true, "calls are under way", reserved("call", "call"), 100],
    [true, "one call is", reserved("later", "call"), 50],
    [false, "what else is reserved is in the way, too", reserved("later", "call"), 51],
    [true, "a backend has set aside all for itself", reserved("whole", "whole"), 100],
    [true, "one has, and calls are under way", reserved("whole", "call"), 100],
    [false, "what is kept for later is in the way, too", reserved("whole", "later"), 51],
    [false, "it is more than there ever was", reserved("call"), 101],
    [false, "all is spent", settleIn(reserved("call"), amount(0, 50), amount(0, 100), "call"), 1],
  ])("may fit soon: %s, where %s", (may, _, one, tokens) => {
    expect(shortfall([one], amount(0, tokens))).not.toBeNull();
    expect(mayFitSoon([openLedger({ microUsd: null, tokens: null }), one], amount(0, tokens), false)).toBe(may);
  });

  it.each<[boolean, Ledger, number]>([
    [true, reserved("call", "call"), 100],
    [true, reserved("whole", "call"), 50],
    [false, reserved("whole", "call"), 51],
    [false, reserved("whole", "whole"), 1],
  ])("waits for calls alone below a backend that has the whole: %s", (may, one, tokens) => {
    expect(shortfall([one], amount(0, tokens))).not.toBeNull();
    expect(mayFitSoon([one], amount(0, tokens), true)).toBe(may);
  });
});

describe("a settlement", () => {
  it("frees what was reserved and counts what was spent", () => {
    const promised = reserveIn(openLedger({ microUsd: 100, tokens: 100 }), amount(40, 30), "call");
    expect(promised).toMatchObject({ reserved: amount(40, 30), spent: NOTHING });
    expect(settleIn(promised, amount(40, 30), amount(25, 5), "call")).toEqual(
      ledger({ microUsd: 100, tokens: 100 }, NOTHING, amount(25, 5)),
    );
  });
});
