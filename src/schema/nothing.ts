import type { Amount } from "./amount.ts";
import type { ModelUsage } from "./model.ts";

/** Apart from the schemas: what only looks at tasks does without them, and starts sooner. */
export const NOTHING: Amount = Object.freeze({ microUsd: 0, tokens: 0 });

export const NO_USAGE: ModelUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
});
