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
