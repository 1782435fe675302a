// Prices and windows from the data of @pydantic/genai-prices. The data that the package brings, never newer data from
// the network.
import type { MatchLogic } from "@pydantic/genai-prices";
import type { Clock, ModelUsage } from "../ports/index.ts";
import type { ModelRef } from "./catalog.ts";
import type { Wire } from "./providers.ts";

export interface Listing {
  readonly contextTokens: number | undefined;
  /** In US dollars. */
  readonly priceOf: (usage: ModelUsage) => number | null;
}

const LISTED_AS: Readonly<Record<Exclude<Wire, "compatible">, string>> = {
  anthropic: "anthropic",
  openai: "openai",
  "openai-chat": "openai",
  google: "google",
};

/** Prices change on known days, so the clock takes part. An endpoint of the user's is known by its address only. */
export async function loadListing({ provider, model }: ModelRef, baseUrl: string, clock: Clock): Promise<Listing> {
  const { calcPrice } = await import("@pydantic/genai-prices");
  const seller =
    provider.wire === "compatible" ? { providerApiUrl: baseUrl } : { providerId: LISTED_AS[provider.wire] };
  const look = (usage: Parameters<typeof calcPrice>[0]) => {
    const found = calcPrice(usage, model, { ...seller, timestamp: new Date(clock.now()) });
    return found !== null && isExact(found.model.match, model) ? found : null;
  };
  // Rows without a price for one side, and free samples, are no prices to keep a budget by.
  const isPriced = [{ input_tokens: 1000 }, { output_tokens: 1000 }].every(
    (usage) => (look(usage)?.total_price ?? 0) > 0,
  );
  return {
    contextTokens: look({})?.model.context_window,
    priceOf: (usage) => (isPriced ? (look(counted(usage))?.total_price ?? null) : null),
  };
}

/** The data refuses more cached tokens than there were tokens. */
const counted = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: ModelUsage) => ({
  input_tokens: Math.max(inputTokens, cacheReadTokens + cacheWriteTokens),
  cache_read_tokens: cacheReadTokens,
  cache_write_tokens: cacheWriteTokens,
  output_tokens: outputTokens,
});

/** Behind a model's name: the day of its release, or nothing. Anything else is another model. */
const DATED = /^(?:-latest|[-@]\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-\d{2,4})?$/;

/** The data matches some models by the beginning of their name, and so takes a newer model for its predecessor. */
export function isExact(match: MatchLogic, model: string): boolean {
  if ("equals" in match) return match.equals === model;
  if ("starts_with" in match) {
    return model.startsWith(match.starts_with) && DATED.test(model.slice(match.starts_with.length));
  }
  if ("regex" in match) {
    return match.regex.startsWith("^") && match.regex.endsWith("$") && new RegExp(match.regex).test(model);
  }
  if ("or" in match) return match.or.some((one) => isExact(one, model));
  return "and" in match && match.and.some((one) => isExact(one, model));
}
