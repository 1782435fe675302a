// A file's settings, one by one. What nobody asked for, and what could not be read, is kept aside.
import { nearest } from "../../../domain/nearest.ts";
import type { Json, JsonObject } from "../../../schema/index.ts";
import type { Remark } from "../format.ts";
import { kept, narrowed, repaired } from "./settings.ts";
import { deniedWords, type ToolWords, toolWords } from "./tool-words.ts";

export interface Fields {
  /** As it stands. */
  take(key: string): Json | undefined;
  text(key: string): string | undefined;
  /** A number above zero, also as text (`"20"`). */
  count(key: string): number | undefined;
  /** As `count`, without a fraction. */
  whole(key: string): number | undefined;
  /** From zero to `most`. */
  number(key: string, most: number): number | undefined;
  flag(key: string): boolean | undefined;
  /** An allow list. One that is there and says nothing, or nothing that can be read, allows nothing. */
  tools(key: string): ToolWords | undefined;
  /** A deny list. */
  denied(key: string): readonly string[];
  /** Keeps a value for the day when the file is written again, as if it had not been taken. */
  keep(key: string, value: Json): void;
  /** What is kept aside for `x.<format>`, and a remark for each. */
  aside(): { readonly aside: JsonObject; readonly remarks: readonly Remark[] };
}

const MAX_SHOWN = 30;

/** `keys` are the settings that the program knows. Without them, any may have a meaning there. */
export function fieldsOf(settings: JsonObject, remarks: Remark[], keys?: ReadonlySet<string>): Fields {
  const taken = new Set<string>();
  const aside: JsonObject = {};
  const take = (key: string): Json | undefined => {
    taken.add(key);
    const value = Object.hasOwn(settings, key) ? settings[key] : undefined;
    return value === null ? undefined : value;
  };
  const unreadable = (key: string, value: Json, wanted: string): undefined => {
    remarks.push(kept(key, `${key} is not ${wanted}, and is not used`));
    aside[key] = value;
  };
  const number = (key: string, wanted: string, fits: (value: number) => boolean): number | undefined => {
    const value = take(key);
    if (value === undefined) return undefined;
    const isText = typeof value === "string" && /^\s*\d+(?:\.\d+)?\s*$/.test(value);
    const found = isText ? Number(value) : value;
    if (typeof found !== "number" || !fits(found)) return unreadable(key, value, wanted);
    if (isText) remarks.push(repaired(key, `${key} is text; read as the number ${found}`));
    return found;
  };
  const isUnknown = (key: string): boolean => keys !== undefined && !keys.has(key);
  return {
    take,
    text(key) {
      const value = take(key);
      if (value === undefined) return undefined;
      if (typeof value === "number" || typeof value === "boolean") return String(value);
      if (typeof value !== "string") return unreadable(key, value, "text");
      return value.trim() === "" ? undefined : value.trim();
    },
    count: (key) => number(key, "a number above zero", (value) => value > 0),
    whole: (key) => number(key, "a whole number above zero", (value) => value > 0 && Number.isSafeInteger(value)),
    number: (key, most) => number(key, `a number from 0 to ${most}`, (value) => value >= 0 && value <= most),
    flag(key) {
      const value = take(key);
      if (value === undefined || typeof value === "boolean") return value;
      const word = typeof value === "string" ? value.trim().toLowerCase() : "";
      if (!["true", "yes", "on", "false", "no", "off"].includes(word)) return unreadable(key, value, "true or false");
      const isOn = ["true", "yes", "on"].includes(word);
      remarks.push(repaired(key, `${key} is text; read as ${isOn}`));
      return isOn;
    },
    tools(key) {
      if (!Object.hasOwn(settings, key)) return undefined;
      const value = take(key);
      const words = toolWords(value);
      if (words !== undefined) return words;
      remarks.push(narrowed(key, `${key} is there but is no list of tools; read as none at all`));
      return { allowed: [], denied: [] };
    },
    denied(key) {
      const value = take(key);
      if (value !== undefined && typeof value !== "string" && typeof value !== "object")
        unreadable(key, value, "a list");
      return deniedWords(value);
    },
    keep: (key, value) => void (aside[key] = value),
    aside() {
      const rest = Object.entries(settings).filter(([key]) => !taken.has(key) && key !== "__proto__");
      // Those that may be misspelt first: not all are shown.
      const sorted = rest
        .map(([key]) => key)
        .toSorted((one, other) => Number(isUnknown(other)) - Number(isUnknown(one)));
      const names = [...(keys ?? []), ...taken];
      const shown = sorted
        .slice(0, MAX_SHOWN)
        .map((key) => (isUnknown(key) ? unknownKey(key, names) : kept(key, `${key} has no meaning here yet`)));
      const more = sorted.slice(MAX_SHOWN);
      const others = { ...kept("others", `and ${more.length} more`), isUnknown: more.some(isUnknown) };
      return {
        aside: { ...aside, ...Object.fromEntries(rest) },
        remarks: more.length === 0 ? shown : [...shown, others],
      };
    },
  };
}

export function unknownKey(key: string, known: readonly string[]): Remark {
  const meant = nearest(key, known);
  const message = `unknown key ${JSON.stringify(key.slice(0, MAX_KEY))}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
  return { ...kept(key, message), isUnknown: true };
}

const MAX_KEY = 80;
