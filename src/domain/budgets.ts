// Budgets over a tree. A task's limit covers itself and everything below it, so an amount must fit the
// task that wants it and every task above.
import type { Amount, Budget, Cost, ReservationUse } from "../schema/index.ts";
import { NOTHING } from "../schema/nothing.ts";

/** What one task and everything below it may spend, has promised and has spent. */
export interface Ledger {
  readonly limit: Budget;
  readonly reserved: Amount;
  /** Of what is reserved: for calls that are under way, and settled before long. */
  readonly calls: Amount;
  /** Of what is reserved: for backends that were given all that was left, and settled when these have ended. */
  readonly wholes: Amount;
  readonly spent: Amount;
}

export const openLedger = (limit: Budget): Ledger => ({
  limit,
  reserved: NOTHING,
  calls: NOTHING,
  wholes: NOTHING,
  spent: NOTHING,
});

/** What has no known price counts by its tokens alone. */
export const addAmounts = (a: Amount, b: Cost): Amount => ({
  microUsd: a.microUsd + (b.microUsd ?? 0),
  tokens: a.tokens + b.tokens,
});

const subtractAmounts = (a: Amount, b: Cost): Amount => ({
  microUsd: Math.max(0, a.microUsd - (b.microUsd ?? 0)),
  tokens: Math.max(0, a.tokens - b.tokens),
});

const UNITS = ["microUsd", "tokens"] as const;

/** What is left of one unit: `null` where nothing limits it. */
const left = (ledger: Ledger, unit: (typeof UNITS)[number]): number | null => {
  const limit = ledger.limit[unit];
  return limit === null ? null : limit - ledger.reserved[unit] - ledger.spent[unit];
};

/** The first unit that does not fit, with what is left of it, or `null` if the amount fits the whole chain. */
export function shortfall(chain: readonly Ledger[], amount: Cost): { unit: string; left: number } | null {
  for (const ledger of chain) {
    for (const unit of UNITS) {
      const rest = left(ledger, unit);
      // What has no known price fits no limit. Nothing is promised against an empty budget, not even nothing: the next
      // call could only overspend.
      const wanted = amount[unit] ?? Number.POSITIVE_INFINITY;
      if (rest !== null && (wanted > rest || rest <= 0)) return { unit, left: Math.max(0, rest) };
    }
  }
  return null;
}

/**
 * All that the chain still allows: what is set aside for a backend that cannot say what one call costs. Where money is not
 * limited, nobody knows the most that it may be.
 */
export function wholeCap(chain: readonly Ledger[]): Cost | null {
  const smallest = (unit: (typeof UNITS)[number]): number | null => {
    const rests = chain.map((ledger) => left(ledger, unit)).filter((rest) => rest !== null);
    return rests.length === 0 ? null : Math.max(0, Math.min(...rests));
  };
  const microUsd = smallest("microUsd");
  const tokens = smallest("tokens");
  return microUsd === null && tokens === null ? null : { microUsd, tokens: tokens ?? 0 };
}

/** The amount, or less: of each unit that is limited, at most this share of what is left. */
export function shareOf(chain: readonly Ledger[], { microUsd, tokens }: Cost, share: number): Cost {
  const least = (unit: (typeof UNITS)[number], most: number): number =>
    chain.reduce((sum, ledger) => {
      const rest = left(ledger, unit);
      return rest === null ? sum : Math.min(sum, Math.max(0, Math.floor(rest * share)));
    }, most);
  return { microUsd: microUsd === null ? null : least("microUsd", microUsd), tokens: least("tokens", tokens) };
}

export const reserveIn = (ledger: Ledger, amount: Cost, use: ReservationUse): Ledger => ({
  ...ledger,
  reserved: addAmounts(ledger.reserved, amount),
  calls: use === "call" ? addAmounts(ledger.calls, amount) : ledger.calls,
  wholes: use === "whole" ? addAmounts(ledger.wholes, amount) : ledger.wholes,
});

export const settleIn = (ledger: Ledger, reserved: Cost, spent: Cost, use: ReservationUse): Ledger => ({
  ...ledger,
  reserved: subtractAmounts(ledger.reserved, reserved),
  calls: use === "call" ? subtractAmounts(ledger.calls, reserved) : ledger.calls,
  wholes: use === "whole" ? subtractAmounts(ledger.wholes, reserved) : ledger.wholes,
  spent: addAmounts(ledger.spent, spent),
});

/**
 * What does not fit now, and may when what is under way is settled. A call is settled by itself. A backend that has the whole
 * may wait for what is below it, so nobody there waits for another that has one, whose children may wait for this one.
 */
export const mayFitSoon = (chain: readonly Ledger[], amount: Cost, isBelowWhole: boolean): boolean =>
  shortfall(
    chain.map((ledger) => {
      const called = settleIn(ledger, ledger.calls, NOTHING, "call");
      return isBelowWhole ? called : settleIn(called, called.wholes, NOTHING, "whole");
    }),
    amount,
  ) === null;
