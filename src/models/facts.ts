// What is known of a model without speaking to it: its price, its window, how much it writes.
import type { Amount } from "../schema/index.ts";
import type { Clock, ModelUsage } from "../ports/index.ts";
import type { ModelRef } from "./catalog.ts";
import { maxOutputOf, windowOf } from "./limits.ts";
import { loadListing } from "./listed-price.ts";
import type { ModelLimits, ModelPrice } from "./model-settings.ts";

export interface ModelFacts {
  readonly name: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  priceOf(usage: ModelUsage): Amount | null;
}

/** What the user's own config says of this model. It outranks the data. */
export interface OwnFacts {
  readonly price?: ModelPrice | undefined;
  readonly limits?: ModelLimits | undefined;
}

export async function loadFacts(ref: ModelRef, own: OwnFacts, baseUrl: string, clock: Clock): Promise<ModelFacts> {
  const { price, limits } = own;
  const listing = await loadListing(ref, baseUrl, clock);
  const contextTokens = limits?.context_tokens ?? listing.contextTokens ?? windowOf(ref.model);
  return {
    name: ref.name,
    contextTokens,
    maxOutputTokens: limits?.max_output_tokens ?? Math.min(maxOutputOf(ref.model), Math.floor(contextTokens / 2)),
    priceOf(usage) {
      const usd = price === undefined ? listing.priceOf(usage) : ownPrice(price, usage);
      return usd === null ? null : { microUsd: microUsd(usd), tokens: usage.inputTokens + usage.outputTokens };
    },
  };
}

function ownPrice(price: ModelPrice, usage: ModelUsage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const dollars =
    fresh * price.input +
    cacheReadTokens * (price.cache_read ?? price.input) +
    cacheWriteTokens * (price.cache_write ?? price.input) +
    outputTokens * price.output;
  return dollars / 1_000_000;
}

/** Rounded up, because money is compared with a limit; less the noise of floating point. */
const microUsd = (usd: number): number => Math.max(0, Math.ceil(usd * 1_000_000 - 1e-6));
