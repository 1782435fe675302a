import type { TaskView } from "../schema/index.ts";
import type { Settings } from "./limits.ts";

/** The setting that keeps every task from being started now, and its value. */
export interface LimitReached {
  readonly setting: "subagents.max_concurrent" | "subagents.rate_limit_per_min";
  readonly limit: number;
}

const MINUTE_MS = 60_000;

/** `begun`: what was ever started, at least of the last minute. Slots come first, as they do where tasks are claimed. */
export function limitReached(
  begun: readonly TaskView[],
  { maxConcurrent, rateLimitPerMin }: Pick<Settings, "maxConcurrent" | "rateLimitPerMin">,
  now: number,
): LimitReached | null {
  const computing = begun.filter(({ status }) => status === "running").length;
  if (computing >= maxConcurrent) return { setting: "subagents.max_concurrent", limit: maxConcurrent };
  const starts = begun.flatMap(({ attempts }) => attempts.filter(({ startedAt }) => startedAt > now - MINUTE_MS));
  return starts.length < rateLimitPerMin ? null : { setting: "subagents.rate_limit_per_min", limit: rateLimitPerMin };
}
