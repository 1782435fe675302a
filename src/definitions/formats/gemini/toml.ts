// The older form: `[prompts]`, `[model]` and `[run]` are tables.
import { stringify } from "smol-toml";
import type { AgentDefinition, Json, JsonObject } from "../../../schema/index.ts";
import type { Reading, Remark, Written } from "../format.ts";
import { asideOf, refuse } from "../lenient/build-reading.ts";
import { unknownKey } from "../lenient/fields.ts";
import { isObject } from "../lenient/json-value.ts";
import { parseToml } from "../lenient/parse-data.ts";
import { inOrder } from "../lenient/write-markdown.ts";
import { KEYS, readAgentSettings, refuseRemote } from "./agent-settings.ts";
import { geminiSettings } from "./markdown.ts";

const MAX_AGENTS = 100;

export function readGeminiToml(text: string): readonly Reading[] {
  const parsed = parseToml(text);
  if (!parsed.ok) return [refuse(parsed.problem)];
  const { remote_agents: remote, ...settings } = parsed.value;
  const others = Array.isArray(remote) ? remote.filter(isObject).slice(0, MAX_AGENTS).map(refuseRemote) : [];
  if (others.length > 0 && settings["name"] === undefined) return others;
  const remarks = [...parsed.remarks, ...unknownInTables(settings)];
  return [readAgentSettings(flat(settings), "", remarks, TOML_KEYS), ...others];
}

const TABLES: Readonly<Record<string, readonly string[]>> = {
  prompts: ["system_prompt", "query"],
  model: ["model", "temperature", "top_p"],
  run: ["max_turns", "timeout_mins"],
};

const TOML_KEYS: ReadonlySet<string> = new Set([
  ...KEYS,
  ...Object.keys(TABLES).flatMap((key) => [key, `${key}_table`]),
]);

const unknownInTables = (settings: JsonObject): Remark[] =>
  Object.entries(TABLES).flatMap(([key, known]) => {
    const given = settings[key];
    const names = isObject(given) ? Object.keys(given).filter((name) => !known.includes(name)) : [];
    return names.slice(0, MAX_UNKNOWN).map((name) =>
      unknownKey(
        `${key}.${name}`,
        known.map((one) => `${key}.${one}`),
      ),
    );
  });

const MAX_UNKNOWN = 30;

/** The tables' known settings as if they stood outside; a table keeps what is left in it. */
function flat(settings: JsonObject): JsonObject {
  const out: [string, Json][] = [];
  for (const [key, value] of Object.entries(settings)) {
    const known = Object.hasOwn(TABLES, key) && isObject(value) ? (TABLES[key] ?? []) : [];
    const inner = isObject(value) ? Object.entries(value) : [];
    out.push(...inner.filter(([name]) => known.includes(name)));
    const rest = inner.filter(([name]) => !known.includes(name));
    if (known.length === 0) out.push([key, value]);
    else if (rest.length > 0) out.push([`${key}_table`, Object.fromEntries(rest)]);
  }
  return Object.fromEntries(out);
}

export function writeGeminiToml(definition: AgentDefinition): Written {
  const { name, description, display_name, tools, ...rest } = geminiSettings(definition);
  const { model, temperature, max_turns, timeout_mins } = rest;
  const aside = asideOf(definition, "gemini", ["persona", "tools", "model", "body"]);
  const tables = {
    prompts: table({ system_prompt: definition.prompt, query: definition.query }, aside["prompts_table"]),
    model: table({ model, temperature, top_p: definition.top_p }, aside["model_table"]),
    run: table({ max_turns, timeout_mins }, aside["run_table"]),
  };
  const inputs = definition.inputs.length === 0 ? undefined : definition.inputs.map((input) => inOrder({ ...input }));
  const own = Object.fromEntries(Object.entries(aside).filter(([key]) => !key.endsWith("_table")));
  const settings = { ...inOrder({ name, description, display_name, tools, inputs }, own), ...inOrder(tables) };
  return { file: `${definition.name.toLowerCase()}.toml`, text: `${stringify(withoutNulls(settings))}\n` };
}

/** TOML has none. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}

function table(fields: Readonly<Record<string, Json | undefined>>, rest: Json | undefined): JsonObject | undefined {
  const all = inOrder(fields, isObject(rest) ? rest : {});
  return Object.keys(all).length === 0 ? undefined : all;
}
