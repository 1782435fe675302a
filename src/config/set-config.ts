// One setting of a file, changed in its text: comments and formatting are somebody's, and stay.
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from "yaml";
import { invalidDefinition } from "../errors/index.ts";
import { ON_THEIR_LINES } from "../platform/yaml-lines.ts";
import { type ConfigFile, readConfigFile, writeConfigFile } from "./config-file.ts";
import type { Entry } from "./entries.ts";
import type { KeyName } from "./keys.ts";
import type { ConfigValue } from "./kinds.ts";
import { readConfigText, YAML_OPTIONS } from "./read-text.ts";

export async function setConfig(file: ConfigFile, key: KeyName, value: ConfigValue): Promise<void> {
  const text = (await readConfigFile(file)) ?? "";
  const [problem] = readConfigText(text, file.path).problems;
  if (problem !== undefined)
    throw invalidDefinition(problem.where, problem.what, "Nothing was changed. Correct the file first.");
  await writeConfigFile(file, withSetting(text, key, value));
}

/** The text with that setting. Edited where it stands if that is enough; else the document is written again. */
export function withSetting(text: string, key: KeyName, value: ConfigValue): string {
  const document = parseDocument(text, YAML_OPTIONS);
  const path = key.split(".");
  const edited = edit(text, document, path, written(value));
  if (edited !== null && says(edited, text, key, value)) return edited;
  for (const depth of path.keys()) {
    const section = path.slice(0, depth);
    if (!isMap(document.getIn(section, true))) document.setIn(section, document.createNode({})); // it was empty
  }
  document.setIn(path, document.createNode(value, { flow: true }));
  return document.toString({ ...ON_THEIR_LINES, flowCollectionPadding: false });
}

/** Whether one text holds what another does, but for that setting. */
function says(edited: string, text: string, key: KeyName, value: ConfigValue): boolean {
  const { entries, problems } = readConfigText(edited, "");
  const others = readConfigText(text, "").entries.filter((entry) => entry.key !== key);
  return problems.length === 0 && plain(entries) === plain([...others, { key, value }]);
}

/** What settings say, in no order and no place. */
const plain = (settings: readonly Pick<Entry, "key" | "value">[]): string =>
  JSON.stringify(settings.map(({ key, value }) => JSON.stringify([key, value])).toSorted());

/** Short, on one line, and quoted: whatever it holds, it is text and nothing else. */
const written = (value: ConfigValue): string =>
  Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value);

function edit(text: string, document: Document, path: readonly string[], value: string): string | null {
  if (!isMap(document.contents)) return `${withBreak(text)}${branch(path, value, "")}`;
  let map: YAMLMap = document.contents;
  for (const [depth, name] of path.entries()) {
    const child: unknown = map.get(name, true);
    if (child === undefined) return insert(text, map, path.slice(depth), value);
    if (isMap(child)) map = child;
    else if (depth < path.length - 1) return begin(text, map, path.slice(depth), value);
    else return replace(text, child, value);
  }
  return null;
}

function replace(text: string, node: unknown, value: string): string | null {
  const isPlain = (isScalar(node) && node.value !== null) || (isSeq(node) && node.flow === true);
  const range = isPlain ? node.range : null;
  return range === null || range === undefined ? null : text.slice(0, range[0]) + value + text.slice(range[1]);
}

/** Below the name of a section that holds nothing yet, or nothing but comments. */
function begin(text: string, map: YAMLMap, [name = "", ...path]: readonly string[], value: string): string | null {
  const key = map.items.map((item) => item.key).find((one) => isScalar(one) && one.value === name);
  const start = isScalar(key) ? key.range?.[0] : undefined;
  const indent = start === undefined ? null : indentAt(text, start);
  if (start === undefined || indent === null) return null;
  return afterLine(text, start, branch(path, value, `${indent}  `));
}

/** After the last line of a section that is written in lines. */
function insert(text: string, map: YAMLMap, path: readonly string[], value: string): string | null {
  const first = map.items[0]?.key;
  const start = isScalar(first) ? first.range?.[0] : undefined;
  const end = endOf(map);
  if (map.flow === true || start === undefined || end === undefined) return null;
  const indent = indentAt(text, start);
  return indent === null ? null : afterLine(text, end, branch(path, value, indent));
}

/** What stands before it on its line, if that is nothing but room. */
function indentAt(text: string, offset: number): string | null {
  const before = text.slice(0, offset);
  const indent = before.slice(before.lastIndexOf("\n") + 1);
  return indent.trim() === "" ? indent : null;
}

function afterLine(text: string, offset: number, lines: string): string {
  const end = text.indexOf("\n", offset);
  return end < 0 ? `${withBreak(text)}${lines}` : text.slice(0, end + 1) + lines + text.slice(end + 1);
}

/** Where the last thing that a node holds has its last character. */
function endOf(node: unknown): number | undefined {
  if (isMap(node)) return endOf(node.items.at(-1)?.value);
  if (isSeq(node) && node.flow !== true) return endOf(node.items.at(-1));
  const isSomething = (isScalar(node) && node.value !== null) || isSeq(node);
  const end = isSomething ? rangeEnd(node) : undefined;
  return end === undefined ? undefined : Math.max(0, end - 1);
}

const rangeEnd = (node: Node): number | undefined => node.range?.[1];

/** `a.b: 1` as two lines, the second one further in. */
const branch = (path: readonly string[], value: string, indent: string): string =>
  path
    .map((name, depth) => `${indent}${"  ".repeat(depth)}${name}:${depth === path.length - 1 ? ` ${value}` : ""}\n`)
    .join("");

const withBreak = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
