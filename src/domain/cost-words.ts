// What a task has cost, as a person reads it. Where a call was cut off nobody knows what it used, only the most that it
// may be; where a price is not known, what is known is only the least.
import type { Cost, ModelUsage, TaskView } from "../schema/index.ts";

export interface Spent extends Pick<TaskView, "spent" | "bound" | "isCostKnown"> {
  /** Of several together: there are tokens among them that nobody has counted. */
  readonly areTokensLeast?: boolean;
}

const atMost = (isBound: boolean): string => (isBound ? "at most " : "");

const dollars = (microUsd: number): string => `$${(microUsd / 1_000_000).toFixed(4)}`;

/** A backend that can be held to money alone, and was cut off, has taken more of them than anybody knows. */
const isLeast = ({ bound }: Pick<Spent, "bound">): boolean => bound.tokens === 0 && bound.microUsd > 0;

export const tokenWords = (one: Pick<Spent, "spent" | "bound" | "areTokensLeast">): string =>
  `${(one.areTokensLeast ?? isLeast(one)) ? "at least " : atMost(one.bound.tokens > 0)}${one.spent.tokens}`;

/** Where some are the most that it may be and others the least, only the least of all is true. */
export function spentTogether(tasks: readonly Spent[]): Spent {
  const sum = (of: (one: Spent) => number) => tasks.reduce((total, one) => total + of(one), 0);
  const isSilent = ({ spent, isCostKnown }: Spent) => !isCostKnown && spent.tokens === 0;
  const areTokensLeast = tasks.some((one) => isLeast(one) || isSilent(one));
  const mostTokens = sum(({ bound }) => bound.tokens);
  return {
    spent: {
      microUsd: sum(({ spent }) => spent.microUsd),
      tokens: sum(({ spent }) => spent.tokens) - (areTokensLeast ? mostTokens : 0),
    },
    bound: { microUsd: sum(({ bound }) => bound.microUsd), tokens: areTokensLeast ? 0 : mostTokens },
    isCostKnown: tasks.every(({ isCostKnown }) => isCostKnown),
    areTokensLeast,
  };
}

/** The same in a table: "-" for nothing. */
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
