import type { Amount, ModelUsage } from "../../schema/index.ts";
import type { Totals } from "./said.ts";

export type PriceOf = (usage: ModelUsage) => Promise<number | null>;

/** What a run has cost: what the conversation has cost by now, less what it had before. */
export async function spentOn(totals: Totals, before: Totals | null, priceOf: PriceOf): Promise<Amount> {
  const usage = less(totals, before);
  const microUsd =
    totals.microUsd === null ? ((await priceOf(usage)) ?? 0) : Math.max(0, totals.microUsd - (before?.microUsd ?? 0));
  return { microUsd: Math.ceil(microUsd), tokens: usage.inputTokens + usage.outputTokens };
}

function less(now: Totals, before: Totals | null): ModelUsage {
  const of = (name: keyof ModelUsage) => Math.max(0, now[name] - (before?.[name] ?? 0));
  return {
    inputTokens: of("inputTokens"),
    outputTokens: of("outputTokens"),
    cacheReadTokens: of("cacheReadTokens"),
    cacheWriteTokens: of("cacheWriteTokens"),
    reasoningTokens: of("reasoningTokens"),
  };
}
