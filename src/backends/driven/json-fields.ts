// Looking into what another program says, without believing that it has the shape it should have.
import { Json } from "../../schema/index.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const countOf = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

/** Whether tokens are counted there at all, as most programs name them. */
export const saysUsage = (usage: Fields): boolean =>
  ["input_tokens", "output_tokens", "total_tokens"].some((name) => typeof usage[name] === "number");

/** What came out of `JSON.parse` is JSON; only depth can be against it. */
export function jsonOf(value: unknown): Json {
  const parsed = Json.safeParse(value);
  return parsed.success ? parsed.data : null;
}

export function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
