// What people get wrong in front matter: colons and brackets in unquoted text, text that spills over into the next
// lines, tabs. Only lines at the margin are looked at; what is nested stays as it is.
import type { Remark } from "../format.ts";
import { repaired } from "./settings.ts";

interface Repair {
  readonly text: string;
  /** Empty: there was nothing that is known how to repair. */
  readonly remarks: readonly Remark[];
}

const SETTING = /^([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*:(?:[ \t]+(.*))?$/s;
const MAX_LINES = 2000;

/** Only prose goes on in the next line. A list of tools that did would give what a sentence mentions. */
const PROSE: ReadonlySet<string> = new Set([
  "description",
  "prompt",
  "system_prompt",
  "query",
  "initialPrompt",
  "instructions",
  "roleDefinition",
  "customInstructions",
  "whenToUse",
]);

interface Entry {
  readonly key: string;
  readonly value: string;
  /** The lines below it, as they stand. */
  readonly rest: string[];
}

export function repairYaml(text: string, keys: ReadonlySet<string>): Repair {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.length > MAX_LINES) return { text, remarks: [] };
  const remarks: Remark[] = [];
  const { before, entries } = gather(lines.map(withoutTabs), keys);
  if (lines.some((line) => withoutTabs(line) !== line)) {
    remarks.push(repaired("front matter", "lines are indented by tabs; read as spaces"));
  }
  const written = entries.map((entry) => repairEntry(entry, remarks));
  return { text: [...before, ...written.flat()].join("\n"), remarks };
}

const withoutTabs = (line: string): string => line.replace(/^[ \t]+/, (indent) => indent.replaceAll("\t", "  "));

/** A line at the margin that is no setting belongs to the setting above it. */
function gather(lines: readonly string[], keys: ReadonlySet<string>): { before: string[]; entries: Entry[] } {
  const before: string[] = [];
  const entries: Entry[] = [];
  for (const line of lines) {
    const [, key, value = ""] = SETTING.exec(line) ?? [];
    const last = entries.at(-1);
    const isUnknown = key !== undefined && keys.size > 0 && !keys.has(key);
    const spills = isUnknown && last !== undefined && canSpill(last);
    if (key !== undefined && !spills) entries.push({ key, value: withoutComment(key, value.trim()), rest: [] });
    else (last?.rest ?? before).push(line);
  }
  return { before, entries };
}

/** What stands behind a `#` must not become part of a list when the list is quoted. */
const withoutComment = (key: string, value: string): string => {
  const at = PROSE.has(key) || /^["']/.test(value) ? -1 : value.search(/(?:^|\s)#/);
  return at < 0 ? value : value.slice(0, at).trim();
};

/** Whether the setting is prose that began on its own line, so that it can go on in the next. */
const canSpill = ({ key, value }: Entry): boolean => PROSE.has(key) && value !== "" && !/^[|>&*!'"[{#]/.test(value);

function repairEntry(entry: Entry, remarks: Remark[]): string[] {
  const { key, value, rest } = entry;
  const more = rest.filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (value === "") return [`${key}:`, ...rest];
  if (/^[|>]/.test(value)) return [`${key}: ${value}`, ...indented(key, rest, remarks)];
  const isSpilt = more.length > 0 && canSpill(entry);
  if (!isSpilt && (more.length > 0 || !needsQuotes(value))) return [`${key}: ${value}`, ...rest];
  remarks.push(
    repaired(key, isSpilt ? `the text of ${key} spills over several lines` : `the text of ${key} needs quotes`),
  );
  const whole = [value, ...more.map((line) => line.trim())].join("\n");
  return [`${key}: ${JSON.stringify(isSpilt ? whole : unwrapped(value))}`];
}

const isLoose = (line: string): boolean => line !== "" && !/^\s/.test(line);

/** The lines of a block of text that is not indented at all would each be a setting of its own. */
function indented(key: string, rest: readonly string[], remarks: Remark[]): string[] {
  if (rest.some(isLoose)) remarks.push(repaired(key, `the text of ${key} is not indented`));
  return rest.map((line) => (isLoose(line) ? `  ${line}` : line));
}

/** A quoted text with more quotes inside is one text; so is a list with brackets that do not match. */
function needsQuotes(value: string): boolean {
  if (/^"(?:[^"\\]|\\.)*"(?:\s+#.*)?$/.test(value) || /^'(?:[^']|'')*'(?:\s+#.*)?$/.test(value)) return false;
  if (/^\[[^[\]{}:]*\]$/.test(value) || /^\{[^[\]{}]*\}$/.test(value)) return false;
  return /:(?:\s|$)|\s#|^[[\]{}@`%&*!'"|>,?-]/.test(value);
}

/** Quotes around a text whose own quotes broke it are no part of it. */
function unwrapped(value: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(value);
  if (quoted?.[2] === undefined) return value;
  return quoted[1] === '"' ? quoted[2].replaceAll("\\n", "\n").replaceAll('\\"', '"') : quoted[2].replaceAll("''", "'");
}
