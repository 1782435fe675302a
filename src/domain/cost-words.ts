// What a task has cost, as a person reads it. Where a call was cut off nobody knows what it used, only the most that it
// may be; where a price is not known, what is known is only the least.
import type { Amount, Cost, ModelUsage, TaskView } from "../schema/index.ts";
import { NOTHING } from "../schema/nothing.ts";
import { addAmounts } from "./budgets.ts";

export type Spent = Pick<TaskView, "spent" | "bound" | "isCostKnown" | "areTokensKnown">;

const atMost = (isBound: boolean): string => (isBound ? "at most " : "");

const dollars = (microUsd: number): string => `$${(microUsd / 1_000_000).toFixed(4)}`;

/** Where nobody has counted all of them, a bound on some is none on all: what is left are those that were counted. */
export const countedTokens = ({ spent, bound, areTokensKnown }: Omit<Spent, "isCostKnown">): number =>
  areTokensKnown ? spent.tokens : spent.tokens - bound.tokens;

export function tokenWords(one: Omit<Spent, "isCostKnown">): string {
  const counted = countedTokens(one);
  if (one.areTokensKnown) return `${atMost(one.bound.tokens > 0)}${counted}`;
  return counted === 0 ? "unknown" : `at least ${counted}`;
}

export function spentTogether(tasks: readonly Spent[]): Spent {
  const sum = (of: (one: Spent) => Amount) => tasks.map(of).reduce(addAmounts, NOTHING);
  return {
    spent: sum(({ spent }) => spent),
    bound: sum(({ bound }) => bound),
    isCostKnown: tasks.every(({ isCostKnown }) => isCostKnown),
    areTokensKnown: tasks.every(({ areTokensKnown }) => areTokensKnown),
  };
}

/** The money alone, for a table: "-" for nothing. */
export function costWords({ spent, bound, isCostKnown }: Spent): string {
  const known = spent.microUsd === 0 ? null : `${atMost(bound.microUsd > 0)}${dollars(spent.microUsd)}`;
  if (isCostKnown) return known ?? "-";
  return known === null ? "unknown" : `${known} + unknown`;
}

/** All that was spent on a task's own calls, or on those of several. */
export function spentWords(task: Spent & Partial<Pick<TaskView, "usage">>): string {
  const { spent, isCostKnown } = task;
  if (spent.tokens === 0 && spent.microUsd === 0) return isCostKnown ? "nothing" : "unknown";
  const parts = task.usage === undefined ? "" : usageWords(task.usage);
  return `${tokenWords(task)} tokens${parts === "" ? "" : ` (${parts})`}, ${costWords(task)}`;
}

const usageWords = ({ cacheReadTokens, cacheWriteTokens, reasoningTokens }: ModelUsage): string =>
  [
    ...(cacheReadTokens === 0 ? [] : [`${cacheReadTokens} read from a cache`]),
    ...(cacheWriteTokens === 0 ? [] : [`${cacheWriteTokens} written to one`]),
    ...(reasoningTokens === 0 ? [] : [`${reasoningTokens} of reasoning`]),
  ].join(", ");

interface Settled {
  readonly spent: Cost;
  readonly isBound?: boolean | undefined;
  readonly isAside?: boolean | undefined;
}

/** One call. Null: what was set aside was not used. */
export function settledWords({ spent: { microUsd, tokens }, isBound, isAside }: Settled): string | null {
  if (tokens === 0 && microUsd === 0) return null;
  if (tokens === 0 && microUsd === null) return "spent what nobody has told";
  const money = microUsd === null ? "price unknown" : microUsd === 0 ? "" : dollars(microUsd);
  const parts = [tokens === 0 ? "" : `${tokens} tokens`, money].filter((part) => part !== "");
  return `spent ${atMost(isBound === true)}${parts.join(", ")}${isAside === true ? ", on a summary" : ""}`;
}

export const turnWords = ({ turns, graceTurns, spec }: Pick<TaskView, "turns" | "graceTurns" | "spec">): string =>
  `${turns} of at most ${spec.limits.maxTurns}${graceTurns === 0 ? "" : ", and last words"}`;
