import type { Json } from "../../../schema/index.ts";
import { isObject } from "./json-value.ts";

/** A list of tools as it was written, whatever it was written as. */
export interface ToolWords {
  /** In the order of the file, each once. `*` is every tool. */
  readonly allowed: readonly string[];
  /** Only a map can say this: `{bash: false}`. */
  readonly denied: readonly string[];
}

/** A list, a text with commas or blanks, or a map from names to booleans; undefined where it is none of these. */
export function toolWords(value: Json | undefined): ToolWords | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return { allowed: unique(split(value)), denied: [] };
  if (Array.isArray(value)) {
    return { allowed: unique(value.flatMap((item) => (typeof item === "string" ? oneItem(item) : []))), denied: [] };
  }
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  return {
    allowed: unique(entries.filter(([, isOn]) => isOn === true).map(([name]) => name)),
    denied: unique(entries.filter(([, isOn]) => isOn === false).map(([name]) => name)),
  };
}

/** For a list that denies: an item that YAML has taken for a map (`- Bash: all of it`) denies what it names. */
export function deniedWords(value: Json | undefined): string[] {
  if (Array.isArray(value))
    return unique(value.flatMap((item) => (isObject(item) ? Object.keys(item) : deniedWords(item))));
  if (isObject(value)) return unique(Object.keys(value).filter((name) => value[name] !== false));
  return typeof value === "string" ? unique(split(value)) : [];
}

const unique = (words: readonly string[]): string[] => [...new Set(words)].filter((word) => word !== "");

/** An item is one name; people also write `- Read, Grep` as one item. */
const oneItem = (item: string): string[] => (/[,()]/.test(item) ? split(item) : [clean(item)]);

/** At commas and blanks outside of parentheses: `Bash(git add, git log), Read` are two. */
function split(text: string): string[] {
  const words: string[] = [];
  let word = "";
  let depth = 0;
  for (const letter of text) {
    if (letter === "(") depth += 1;
    if (letter === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && /[,\s]/.test(letter)) {
      words.push(word);
      word = "";
    } else word += letter;
  }
  return [...words, word].map(clean);
}

/** Brackets and quotes around a word are left over from a list that was not read as one. */
function clean(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && LEFT.includes(word.charAt(start))) start += 1;
  while (end > start && RIGHT.includes(word.charAt(end - 1))) end -= 1;
  return word.slice(start, end).trim();
}

const LEFT = " \t\n[\"'`";
const RIGHT = " \t\n]\"'`";
