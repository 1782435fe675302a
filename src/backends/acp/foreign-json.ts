// Values that a peer sent, made fit for the log: as JSON, not nested without end, and not larger than said.
import type { Json } from "../../schema/index.ts";

const DEEPEST = 50;

/** Undefined: it is too deep or too large to be kept, or to be shown, whole. */
export function wholeJson(value: unknown, maxBytes: number): Json | undefined {
  if (!isShallow(value)) return undefined;
  const text = JSON.stringify(value ?? null);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.stringify has just made is JSON
  return Buffer.byteLength(text) > maxBytes ? undefined : (JSON.parse(text) as Json);
}

/** The beginning of its text stands for what is too large. */
export function someJson(value: unknown, maxBytes: number): Json {
  const whole = wholeJson(value, maxBytes);
  if (whole !== undefined) return whole;
  return isShallow(value) ? `${JSON.stringify(value).slice(0, maxBytes / 4)}…` : "(nested too deeply to be kept)";
}

/** Level by level: a peer can nest deeper than our own stack reaches. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return false;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return true;
}
