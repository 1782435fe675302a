import type { JsonObject } from "../../../schema/index.ts";
import type { Remark } from "../format.ts";

/** What stands in a file, as plain data, and what had to be done to read it. */
export type Settings =
  | { readonly ok: true; readonly value: JsonObject; readonly remarks: readonly Remark[] }
  | { readonly ok: false; readonly problem: string };

/** One line, short enough to be shown in a list. */
export const inOneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
};

export const repaired = (field: string, message: string): Remark => ({ kind: "repaired", field, message });
export const narrowed = (field: string, message: string): Remark => ({ kind: "narrowed", field, message });
export const mapped = (field: string, message: string): Remark => ({ kind: "mapped", field, message });
export const kept = (field: string, message: string): Remark => ({ kind: "kept", field, message });
