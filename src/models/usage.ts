import type { ModelUsage } from "../ports/index.ts";
import type { StreamPart } from "./sdk.ts";

type Reported = Extract<StreamPart, { type: "finish" }>["usage"];

const count = (value: number | undefined) => Math.max(0, Math.round(value ?? 0));

/** `null` where the provider did not say both: half a count would pass for a cheap call. */
export function toUsage({ inputTokens, outputTokens }: Reported): ModelUsage | null {
  if (inputTokens.total === undefined || outputTokens.total === undefined) return null;
  const cacheReadTokens = count(inputTokens.cacheRead);
  const cacheWriteTokens = count(inputTokens.cacheWrite);
  return {
    // Some endpoints count what they read from the cache apart.
    inputTokens: Math.max(count(inputTokens.total), cacheReadTokens + cacheWriteTokens),
    outputTokens: Math.max(count(outputTokens.total), count(outputTokens.reasoning)),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(outputTokens.reasoning),
  };
}
