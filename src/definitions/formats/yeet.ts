// Yeet: profiles in JSON, one file each or together under `agents` of its config. Only read.
import { isRuled, parseRule, passedBy } from "../../domain/tool-rules.ts";
import { type Capability, Capability as KnownCapability, type Json, type JsonObject } from "../../schema/index.ts";
import type { ToolList, WorkspaceBinding } from "../../schema/index.ts";
import { describedBy } from "./description.ts";
import type { ForeignFile, Format, Reading, Remark } from "./format.ts";
import { buildReading, refuse } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { isObject } from "./lenient/json-value.ts";
import { ourAllowed, ourDenied } from "./lenient/map-tools.ts";
import { fileStem, nameFrom } from "./lenient/names.ts";
import { parseJson } from "./lenient/parse-data.ts";
import { toolListOf } from "./lenient/rights.ts";
import { deniedWords, toolWords } from "./lenient/tool-words.ts";
import { PLACES } from "./places.ts";

export const yeet: Format = {
  id: "yeet",
  label: "Yeet",
  places: PLACES.yeet,
  read: (file) => readYeetFiles([file]),
};

interface Profile {
  readonly name: string;
  readonly settings: JsonObject;
}

/** All of them at once, since the config completes the profiles: what it says of one goes before what its file says. */
export function readYeetFiles(files: readonly ForeignFile[]): Reading[] {
  const problems: Reading[] = [];
  const profiles = new Map<string, Profile>();
  const inline: Profile[] = [];
  for (const file of files) {
    const json = parseJson(file.text);
    if (!json.ok) problems.push(refuse(json.problem));
    else if (!isConfig(json.value)) {
      const name = fileStem(file.below, [".json"]);
      profiles.set(name, { name, settings: json.value });
    } else inline.push(...inlineProfiles(json.value["agents"], problems));
  }
  for (const { name, settings } of inline) {
    profiles.set(name, { name, settings: merge(profiles.get(name)?.settings ?? {}, settings) });
  }
  return [...problems, ...[...profiles.values()].flatMap(readProfile)];
}

const isConfig = (settings: JsonObject): boolean =>
  settings["prompt"] === undefined && settings["agents"] !== undefined;

function inlineProfiles(agents: Json | undefined, problems: Reading[]): Profile[] {
  if (!isObject(agents)) {
    problems.push(refuse("agents is not a map of profiles"));
    return [];
  }
  return Object.entries(agents).flatMap(([name, settings]) => {
    if (isObject(settings)) return [{ name, settings }];
    problems.push(refuse(`${name}: it is not a map`));
    return [];
  });
}

/** Field by field; of a map, such as `workspace`, each of its fields. */
function merge(below: JsonObject, above: JsonObject): JsonObject {
  const entries = Object.entries(above).map(([key, value]) => {
    const under = below[key];
    return [key, isObject(under) && isObject(value) ? { ...under, ...value } : value] as const;
  });
  return { ...below, ...Object.fromEntries(entries) };
}

function readProfile({ name: written, settings }: Profile): Reading[] {
  const remarks: Remark[] = [];
  const fields = fieldsOf(settings, remarks);
  const title = fields.text("name");
  const named = nameFrom(written) ?? (title === undefined ? undefined : nameFrom(title));
  if (named === undefined) return [refuse(`${JSON.stringify(written.slice(0, 80))} cannot be made into a name`)];
  const prompt = fields.text("prompt") ?? fields.text("systemPrompt");
  const description = fields.text("description");
  // Without both it only completes a profile that is not among these files.
  if (prompt === undefined && description === undefined) return [];
  remarks.push(...named.remarks);
  const tools = readTools(fields, remarks);
  const draft = {
    name: named.name,
    display_name: title === undefined || title === named.name ? named.display_name : title,
    description: describedBy(description, prompt ?? "", named.name, remarks),
    prompt,
    model: fields.text("model"),
    temperature: fields.number("temperature", 2),
    top_p: fields.number("topP", 1),
    max_turns: fields.whole("maxTurns") ?? fields.whole("maxSteps"),
    capabilities: readCapabilities(fields),
    tools,
    workspace: readWorkspace(fields),
  };
  const { aside, remarks: others } = fields.aside();
  return [buildReading("yeet", draft, aside, [...remarks, ...others])];
}

/** A list, a word, or flags. An orchestrator gets the tools to delegate with by being one. */
function readCapabilities(fields: Fields): Capability[] | undefined {
  const given = fields.take("capabilities") ?? fields.take("capability");
  if (given === undefined) return undefined;
  const words = toolWords(given)?.allowed ?? [];
  const known = words.flatMap((word) => {
    const capability = KnownCapability.safeParse(word.toLowerCase());
    return capability.success ? [capability.data] : [];
  });
  if (known.length < words.length || known.length === 0) fields.keep("capabilities", given);
  return known.length === 0 ? undefined : known;
}

/** Nothing is written unless it says so. */
function readWorkspace(fields: Fields): WorkspaceBinding | undefined {
  const given = fields.take("workspace");
  if (!isObject(given)) return undefined;
  const mode = given["mode"] ?? given["isolation"];
  const path = given["path"] ?? given["cwd"];
  const isKnown = mode === "shared" || mode === "sandbox" || mode === "custom";
  if (!isKnown && mode !== undefined) fields.keep("workspace", given);
  return {
    mode: isKnown ? mode : "shared",
    ...(typeof path === "string" ? { path } : {}),
    allow_writes: (isKnown || mode === undefined) && given["allowWrites"] === true,
  };
}

/** `tools` and the permissions beside it: names, or a map from names to words. Unknown words deny. */
function readTools(fields: Fields, remarks: Remark[]): ToolList | undefined {
  const given = [fields.take("tools"), fields.take("permissions"), fields.take("toolPermissions")];
  let allow: readonly string[] | undefined;
  const ask: string[] = [];
  const deny: string[] = [];
  for (const value of given) {
    if (value === undefined) continue;
    if (!isObject(value)) allow = toolWords(value)?.allowed ?? [];
    else if ("allow" in value || "deny" in value || "ask" in value) {
      allow = value["allow"] === undefined ? allow : (toolWords(value["allow"])?.allowed ?? []);
      ask.push(...(toolWords(value["ask"])?.allowed ?? []));
      deny.push(...deniedWords(value["deny"]));
    } else
      for (const [tool, word] of Object.entries(value)) {
        if (word === "ask") ask.push(tool);
        else if (word !== true && word !== "allow") deny.push(tool);
      }
  }
  const allowed = allow === undefined ? undefined : ourAllowed("yeet", allow);
  const [asked, denied] = [ourDenied("yeet", ask), ourDenied("yeet", deny)];
  remarks.push(...(allowed?.remarks ?? []), ...asked.remarks, ...denied.remarks);
  const list = toolListOf(allowed?.tools, denied.tools);
  if (asked.tools.length === 0) return list;
  const isClosed = allowed !== undefined && !allowed.tools.includes("*");
  const whole = isClosed
    ? { mode: "allowlist" as const, allow: [...allowed.tools], ask: askedWithin(allowed.tools, asked.tools) }
    : { mode: "denylist" as const, allow: [], ask: [...asked.tools] };
  return { ...whole, deny: [...denied.tools] };
}

/** With us a list gives what it asks about. So of a closed one, only what it allows is asked: rather more of that than less. */
function askedWithin(allowed: readonly string[], asked: readonly string[]): string[] {
  const within = asked.flatMap((rule) => {
    const { name } = parseRule(rule);
    if (allowed.includes(rule) || passedBy(allowed, { tool: name }).kind === "yes") return [rule];
    const about = allowed.filter((one) => isRuled([rule], parseRule(one).name, "stop"));
    return about.length === 0 && name.includes("*") ? allowed : about;
  });
  return [...new Set(within)];
}
