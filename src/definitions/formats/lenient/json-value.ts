import type { Json, JsonObject } from "../../../schema/index.ts";

const MAX_VALUES = 50_000;
const MAX_DEPTH = 64;

/** Raised and caught in this folder only. */
export class TooMuch extends Error {}

/** Counts what is read, and gives up on a bomb. One per file. */
export interface Meter {
  count(depth: number): void;
}

export function newMeter(): Meter {
  let values = 0;
  return {
    count(depth) {
      values += 1;
      if (values > MAX_VALUES) throw new TooMuch(`it holds more than ${MAX_VALUES} values`);
      if (depth > MAX_DEPTH) throw new TooMuch(`it is nested more than ${MAX_DEPTH} deep`);
    },
  };
}

/**
 * What a parser made, as JSON. Whatever JSON cannot hold (a date, an infinite number) becomes text; the key
 * `__proto__` is left out. Throws TooMuch.
 */
export function toJson(value: unknown, meter: Meter = newMeter(), depth = 0): Json {
  meter.count(depth);
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map((item) => toJson(item, meter, depth + 1));
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value !== "object") return typeof value === "bigint" ? value.toString() : null;
  const object: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (key !== "__proto__") object[key] = toJson(item, meter, depth + 1);
  }
  return object;
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
