import type { Cost, ModelUsage } from "../../schema/index.ts";
import type { Totals } from "./said.ts";

export type PriceOf = (usage: ModelUsage) => Promise<number | null>;

/** What a run has cost: what the conversation has cost by now, less what it had before. In money, where anybody knows. */
export async function spentOn(totals: Totals, before: Totals | null, priceOf: PriceOf): Promise<Cost> {
  const usage = less(totals, before);
  const tokens = usage.inputTokens + usage.outputTokens;
  if (totals.microUsd !== null)
    return { microUsd: Math.ceil(Math.max(0, totals.microUsd - (before?.microUsd ?? 0))), tokens };
  const microUsd = tokens === 0 ? 0 : await priceOf(usage);
  return { microUsd: microUsd === null ? null : Math.ceil(microUsd), tokens };
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
