// The text of a configuration file as settings, each with its place. Strict: a misspelt key must fail.
import { isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLMap } from "yaml";
import { agentKey } from "../domain/agent-names.ts";
import { type AgentEntry, type Entries, type Entry, type Problem, shown } from "./entries.ts";
import { agentProblems } from "./agent-fields.ts";
import { plainValue } from "./plain-value.ts";
import { complaint, isKey, isSection, keyOf, type KeyName } from "./keys.ts";

export const YAML_OPTIONS = {
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: false, // readSection looks for these: here it takes the square of the number of keys
  prettyErrors: false,
  logLevel: "silent",
} as const;

interface Reading {
  readonly entries: Entry[];
  readonly agents: AgentEntry[];
  readonly problems: Problem[];
  place(offset: number): string;
}

export function readConfigText(text: string, file: string): Entries {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter });
  const place = (offset: number): string => {
    const { line, col } = lineCounter.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const reading: Reading = { entries: [], agents: [], problems: [], place };
  for (const { pos, message } of [...document.errors, ...document.warnings])
    reading.problems.push({ where: place(pos[0]), what: message });
  if (reading.problems.length > 0) return reading;
  const { contents } = document;
  if (isMap(contents)) readSection(reading, contents, "");
  else if (!isNothing(contents))
    reading.problems.push({ where: `${file}:1:1`, what: "a configuration is a map of settings" });
  return reading;
}

const MAX_PROBLEMS = 20;

function readSection(reading: Reading, map: YAMLMap, section: string): void {
  const names = new Set<string>();
  for (const { key, value } of map.items) {
    if (reading.problems.length >= MAX_PROBLEMS) return;
    const name = isScalar(key) ? String(key.value) : "";
    const where = reading.place(offsetOf(key));
    const path = `${section}${name}`;
    const isRepeated = names.has(name);
    names.add(name);
    if (isRepeated) reading.problems.push({ where, what: `"${path}" stands here twice` });
    else if (path === "agents") readAgents(reading, value, where);
    else if (isKey(path)) readValue(reading, path, value, where);
    else if (!isSection(path)) reading.problems.push({ where, what: complaint(path, section) });
    else if (isMap(value)) readSection(reading, value, `${path}.`);
    else if (!isNothing(value))
      reading.problems.push({ where, what: `"${path}" is a group of settings: write them below it` });
  }
}

/** A map of agents, each a map of fields. */
function readAgents(reading: Reading, node: unknown, where: string): void {
  if (isNothing(node)) return;
  if (!isMap(node)) {
    reading.problems.push({ where, what: '"agents" is a map: write the names of agents below it' });
    return;
  }
  const names = new Set<string>();
  for (const { key, value } of node.items) {
    const agent = isScalar(key) ? String(key.value) : "";
    const place = reading.place(offsetOf(key));
    const plain = plainValue(value);
    const { problems, ...said } = plain.ok
      ? agentProblems(agent, plain.value, names)
      : { fields: {}, problems: [`"agents.${agent}": ${plain.what}`] };
    for (const what of problems) reading.problems.push({ where: place, what });
    if (problems.length === 0) reading.agents.push({ agent, ...said, where: place });
    names.add(agentKey(agent));
  }
}

function readValue(reading: Reading, key: KeyName, node: unknown, where: string): void {
  const { schema, wants } = keyOf(key).kind;
  const given: unknown = isNode(node) ? node.toJSON() : null;
  const parsed = schema.safeParse(given);
  if (parsed.success) reading.entries.push({ key, value: parsed.data, where });
  else reading.problems.push({ where, what: `"${key}" must be ${wants}, not ${shown(given)}` });
}

/** A section whose settings are all commented out. */
const isNothing = (node: unknown): boolean => node === null || (isScalar(node) && node.value === null);

const offsetOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
