import * as z from "zod";

const LONGEST_MS = 24 * 60 * 60 * 1000;

const RetryInfo = z.looseObject({
  error: z.looseObject({ details: z.array(z.looseObject({ retryDelay: z.string().optional().catch(undefined) })) }),
});

/**
 * How long a provider wants us to wait, in milliseconds, a day at most. `retry-after-ms` is the most exact;
 * `retry-after` is seconds or a date; Google says it in the body.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
  now: number,
): number | undefined {
  const found = millis(headers["retry-after-ms"]) ?? fromHeader(headers["retry-after"], now) ?? fromBody(body);
  return found === undefined ? undefined : Math.min(Math.max(0, Math.round(found)), LONGEST_MS);
}

const NUMBER = /^\d+(?:\.\d+)?$/;

const millis = (text: string | undefined) =>
  text !== undefined && NUMBER.test(text.trim()) ? Number(text) : undefined;

function fromHeader(text: string | undefined, now: number): number | undefined {
  const seconds = millis(text);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse takes much for a date; one of HTTP begins with the day of the week.
  const at = text !== undefined && /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at - now;
}

function fromBody(body: string | undefined): number | undefined {
  const info = body?.includes("retryDelay") === true ? RetryInfo.safeParse(parsed(body)) : undefined;
  const delay = info?.data?.error.details.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay;
  const seconds = delay?.endsWith("s") === true ? millis(delay.slice(0, -1)) : undefined;
  return seconds === undefined ? undefined : seconds * 1000;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
