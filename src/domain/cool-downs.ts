// How long a backend that was limited, or not to be reached, is left alone.
import type { CoolDown, FailReason, Limited } from "../schema/index.ts";

const MINUTE_MS = 60_000;
const LONGEST_MS = 60 * MINUTE_MS;
const LONGEST_SAID_MS = 24 * 60 * MINUTE_MS;
/** So long after its end it is forgotten that there was one. */
const FORGOTTEN_MS = 10 * MINUTE_MS;

const CAUSES: readonly FailReason[] = ["rate_limited", "backend_unavailable"];

export const isLimit = (reason: FailReason): boolean => CAUSES.includes(reason);

/** As long as it says; else a minute, and twice as long each time that it happens again. */
export function coolDownAfter(before: CoolDown | undefined, limited: Limited, now: number): CoolDown {
  const { retryAfterMs, ...facts } = limited;
  const times = before !== undefined && now < before.until + FORGOTTEN_MS ? before.times + 1 : 1;
  const lasts =
    retryAfterMs === undefined
      ? Math.min(MINUTE_MS * 2 ** (times - 1), LONGEST_MS)
      : Math.min(Math.max(0, retryAfterMs), LONGEST_SAID_MS);
  return { ...facts, times, until: Math.max(before?.until ?? 0, Math.ceil(now + lasts)) };
}
