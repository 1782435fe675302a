// Settings from the environment: CADRE_SUBAGENTS_MAX_CONCURRENT is subagents.max_concurrent.
import { nearest } from "../domain/nearest.ts";
import { type Entries, type Entry, type Problem, shown } from "./entries.ts";
import { childrenOf, KEY_NAMES, keyOf } from "./keys.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export const variableOf = (key: string): string => `CADRE_${key.toUpperCase().replaceAll(".", "_")}`;

const PREFIXES = childrenOf("").map((section) => `CADRE_${section.toUpperCase()}_`);
const KEYS_BY_VARIABLE = new Map(KEY_NAMES.map((key) => [variableOf(key), key]));

export function readEnvironment(env: Env): Entries {
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  for (const [name, text] of Object.entries(env)) {
    // An empty variable is none, as it is for every other one that Cadre reads.
    if (text === undefined || text === "" || !PREFIXES.some((prefix) => name.startsWith(prefix))) continue;
    const entry = readVariable(name, text);
    if (typeof entry === "string") problems.push({ where: name, what: entry });
    else entries.push(entry);
  }
  return { entries, problems };
}

/** The setting, or what is wrong with it. */
function readVariable(name: string, text: string): Entry | string {
  const key = KEYS_BY_VARIABLE.get(name);
  if (key === undefined) return whyNot(name);
  const { schema, wants, fromText } = keyOf(key).kind;
  const parsed = schema.safeParse(fromText(text));
  return parsed.success ? { key, value: parsed.data, where: name } : `"${key}" must be ${wants}, not ${shown(text)}`;
}

function whyNot(name: string): string {
  const meant = nearest(name, [...KEYS_BY_VARIABLE.keys()]);
  return `there is no such setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}
