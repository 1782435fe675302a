// What a CLI says went wrong, as one of our reasons. Its own words are kept beside it.
import type { FailReason } from "../../schema/index.ts";

const BY_WORDS: readonly (readonly [RegExp, FailReason])[] = [
  [
    /\b(?:quota|rate.?limit(?:ed)?|usage limit|limit reached|too many requests|resource.?exhausted|overloaded)\b/i,
    "rate_limited",
  ],
  [/\bcredit balance\b|\binsufficient_quota\b|\bbilling\b/i, "rate_limited"],
  [
    /\b(?:not logged in|log ?in|unauthori[sz]ed|authentication|invalid api key|invalid x-api-key|api key not valid|permission.?denied|forbidden)\b|\binvalid auth\b/i,
    "backend_unavailable",
  ],
  [
    /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|unable to connect|connection (?:error|refused|failed)|network error|fetch failed|stream disconnected|error sending request)\b/i,
    "backend_unavailable",
  ],
];

/** By the status of the last answer where the CLI has it, else by its words. */
export function reasonOf(status: number | undefined, words: string): FailReason {
  const code = status ?? statusIn(words);
  if (code === 429) return "rate_limited";
  if (code === 401 || code === 403 || (code !== undefined && code >= 500)) return "backend_unavailable";
  if (code !== undefined) return "backend_error";
  return BY_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? "backend_error";
}

const STATUS = /\b(?:status(?: code)?|API Error|http(?: error)?)[:\s]*"?([45]\d\d)\b|"code":\s*([45]\d\d)\b/i;

function statusIn(words: string): number | undefined {
  const found = STATUS.exec(words);
  const digits = found?.[1] ?? found?.[2];
  return digits === undefined ? undefined : Number(digits);
}

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
]);
const WAIT =
  /\b(?:retry|try again|resets?|available)\b[^.\n]{0,30}?\b(?:in|after)\b[^\d\n]{0,10}(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?)\b/i;
/** Claude Code's "usage limit reached|1796000000". */
const UNTIL = /limit reached\|(\d{10})\b/;

/** How long it says that it has to be left alone. Undefined: it does not. */
export function retryAfterIn(words: string, now: number): number | undefined {
  const until = UNTIL.exec(words)?.[1];
  if (until !== undefined) return Math.max(0, Number(until) * 1_000 - now);
  const [, count, unit = ""] = WAIT.exec(words) ?? [];
  if (count === undefined) return undefined;
  const short = /^m(?:s|illi)/i.test(unit) ? "ms" : unit.charAt(0).toLowerCase();
  return Number(count) * (UNITS_MS.get(short) ?? 0);
}
