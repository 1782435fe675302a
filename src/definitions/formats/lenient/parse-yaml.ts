// YAML as other programs' users write it: strictly first, then with what is known to go wrong set right.
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import type { Json, JsonObject } from "../../../schema/index.ts";
import { MAX_YAML_BYTES } from "../../own-format/size-limit.ts";
import type { Remark } from "../format.ts";
import { isObject, type Meter, newMeter, TooMuch } from "./json-value.ts";
import { repairYaml } from "./repair-yaml.ts";
import { inOneLine, repaired, type Settings } from "./settings.ts";

const MAX_ALIASES = 20;
const MOST_MARKS = 8192;

const OPTIONS = {
  schema: "core",
  merge: false,
  resolveKnownTags: false,
  uniqueKeys: false, // the last one holds, as in the programs that accept it at all
  prettyErrors: false,
  logLevel: "error",
} as const;

export interface YamlLimits {
  readonly maxBytes?: number | undefined;
  /** The keys that the format knows: where the text is broken, a line that begins with one of them begins a setting. */
  readonly keys?: ReadonlySet<string> | undefined;
}

/** A map of keys and values. */
export function parseYaml(text: string, limits: YamlLimits = {}): Settings {
  const parsed = parseYamlValue(text, limits);
  if (!parsed.ok) return parsed;
  const value = parsed.value ?? {};
  return isObject(value)
    ? { ok: true, value, remarks: parsed.remarks }
    : { ok: false, problem: "the settings are not a map of keys and values" };
}

export type YamlValue =
  | { readonly ok: true; readonly value: Json; readonly remarks: readonly Remark[] }
  | { readonly ok: false; readonly problem: string };

/** Whatever the text holds: a list too. */
export function parseYamlValue(text: string, { maxBytes = MAX_YAML_BYTES, keys }: YamlLimits = {}): YamlValue {
  if (Buffer.byteLength(text) > maxBytes) {
    return { ok: false, problem: `the settings have more than ${maxBytes} bytes` };
  }
  if (isDense(text)) return { ok: false, problem: "the settings hold more brackets and commas than any settings do" };
  const strict = parse(text);
  if (strict.ok ? typeof strict.value !== "string" : strict.isBomb) return strict;
  const repair = repairYaml(text, keys ?? new Set());
  const second = repair.remarks.length === 0 ? strict : parse(repair.text);
  return second.ok ? { ...second, remarks: [...repair.remarks, ...second.remarks] } : strict;
}

/** The parser takes the longer the more of these there are. A page of prose has some hundred. */
const isDense = (text: string): boolean =>
  (text.match(/[[\]{},]/g)?.length ?? 0) > Math.max(MOST_MARKS, text.length / 8);

type Parsed =
  | Extract<YamlValue, { ok: true }>
  | { readonly ok: false; readonly problem: string; readonly isBomb: boolean };

function parse(text: string): Parsed {
  try {
    const document = parseDocument(text, OPTIONS);
    const error = document.errors[0];
    if (error !== undefined) {
      const problem = inOneLine(`the settings are not YAML: ${error.message}`);
      return { ok: false, problem, isBomb: error.code === "RESOURCE_EXHAUSTION" };
    }
    const remarks: Remark[] = [];
    const reading: Reading = { document, remarks, meter: newMeter(), aliases: 0 };
    return { ok: true, value: readNode(reading, document.contents, 0), remarks };
  } catch (error) {
    const why = error instanceof TooMuch ? error.message : "nobody can read them";
    return {
      ok: false,
      problem: `the settings are not YAML that is read here: ${why}`,
      isBomb: error instanceof TooMuch,
    };
  }
}

interface Reading {
  readonly document: Document;
  readonly remarks: Remark[];
  readonly meter: Meter;
  aliases: number;
}

function readNode(reading: Reading, node: unknown, depth: number): Json {
  reading.meter.count(depth);
  if (isAlias(node)) {
    reading.aliases += 1;
    if (reading.aliases > MAX_ALIASES) throw new TooMuch(`it uses more than ${MAX_ALIASES} aliases`);
    const target = node.resolve(reading.document);
    if (target === undefined) throw new Error(`there is no &${node.source}`); // it was meant as text
    return readNode(reading, target, depth + 1);
  }
  if (isMap(node)) return readMap(reading, node.items, depth);
  if (isSeq(node)) return node.items.map((item) => readNode(reading, item, depth + 1));
  if (!isScalar(node)) return null;
  const { value } = node;
  if (typeof value === "number") return Number.isFinite(value) ? value : (node.source ?? String(value));
  return typeof value === "string" || typeof value === "boolean" ? value : null;
}

function readMap(reading: Reading, items: readonly { key: unknown; value: unknown }[], depth: number): JsonObject {
  const map: JsonObject = {};
  const twice = new Set<string>();
  for (const { key, value } of items) {
    const name = isScalar(key) ? String(key.source ?? key.value) : undefined;
    if (name === undefined || name === "__proto__") {
      reading.remarks.push(repaired(name ?? "?", `${name ?? "a list or a map"} cannot be a key and is left out`));
      continue;
    }
    if (Object.hasOwn(map, name)) twice.add(name);
    map[name] = readNode(reading, value, depth + 1);
  }
  for (const name of twice) reading.remarks.push(repaired(name, `${name} stands there twice; the last one holds`));
  return map;
}
