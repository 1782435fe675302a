// One agent of opencode, wherever it is written: in Markdown or under `agent` in opencode.json.
import type { Capability, Json, JsonObject } from "../../../schema/index.ts";
import { describedBy } from "../description.ts";
import type { Reading, Remark } from "../format.ts";
import { buildReading, refuse } from "../lenient/build-reading.ts";
import { type Fields, fieldsOf } from "../lenient/fields.ts";
import { ownValue, readEffort } from "../lenient/modes.ts";
import { nameFrom } from "../lenient/names.ts";
import { mapped, narrowed, repaired } from "../lenient/settings.ts";
import { toolWords } from "../lenient/tool-words.ts";
import { readPermission } from "./read-permission.ts";
import { MAX_RULES, permissionRules } from "./permission-rules.ts";

export const KEYS: ReadonlySet<string> = new Set(
  "name description mode model variant temperature top_p permission tools steps maxSteps disable hidden color".split(
    " ",
  ),
);

const ROLES: Readonly<Record<string, readonly Capability[]>> = {
  primary: ["primary"],
  subagent: ["subtask"],
  all: ["primary", "subtask"],
};

/** Where its own name is kept, which is a path and may have folders. No setting of opencode's is called so. */
export const WRITTEN = "_name";

export interface OpencodeAgent {
  /** Its name, unless its settings have another. */
  readonly written: string;
  readonly settings: JsonObject;
  readonly body?: string | undefined;
}

export function readOpencode({ written, settings, body }: OpencodeAgent, remarks: Remark[]): Reading {
  const fields = fieldsOf(settings, remarks);
  const named = nameFrom(fields.text("name") ?? written);
  if (named === undefined) return refuse(`${JSON.stringify(written.slice(0, 80))} cannot be a name`);
  if (fields.flag("disable") === true) return refuse(`${named.name}: disabled there`);
  if (named.name !== written) fields.keep(WRITTEN, written);
  remarks.push(...named.remarks);
  const prompt = body === undefined || body === "" ? (fields.text("prompt") ?? "") : body;
  const file = /^\s*\{file:([^}]*)\}\s*$/.exec(prompt)?.[1];
  if (file !== undefined) return refuse(`${named.name}: its prompt is in another file, ${file}, which is not read`);
  const rights = readRights(fields, remarks);
  if (rights === undefined) return refuse(`${named.name}: it has more than ${MAX_RULES} permission rules`);
  const draft = {
    name: named.name,
    display_name: named.display_name,
    description: describedBy(fields.text("description"), prompt, named.name, remarks),
    capabilities: rolesOf(fields),
    model: readModel(fields),
    // A preset of the model; those with the names of efforts are efforts.
    effort: readEffort(fields, "variant", remarks),
    temperature: fields.number("temperature", 2),
    top_p: fields.number("top_p", 1),
    prompt,
    max_turns: fields.whole("steps") ?? fields.whole("maxSteps"),
    ...rights,
  };
  const { aside, remarks: more } = fields.aside();
  return buildReading("opencode", draft, aside, [...remarks, ...more]);
}

/** Without a provider opencode does not find it; kept, since nothing better is known. */
function readModel(fields: Fields): string | undefined {
  const model = fields.text("model");
  if (model !== undefined && !model.includes("/")) fields.keep("model", model);
  return model;
}

function rolesOf(fields: Fields): Capability[] {
  const mode = fields.text("mode") ?? "all";
  const roles = ownValue(ROLES, mode);
  if (roles === undefined) fields.keep("mode", mode);
  return [...(roles ?? ["subtask" as const])];
}

function readRights(fields: Fields, remarks: Remark[]) {
  const permission = fields.take("permission") ?? misspelt(fields, remarks);
  const tools = asMap(fields.take("tools"), remarks);
  if (permissionRules(permission, tools).length > MAX_RULES) return undefined;
  // Null: that the file leaves everything open is worth keeping too. Written back, it must not begin to ask.
  if (permission !== undefined || tools === undefined) fields.keep("permission", permission ?? null);
  if (tools !== undefined) fields.keep("tools", tools);
  const reading = readPermission(permission, tools);
  if (reading.delegates)
    remarks.push(narrowed("permission", "task is left out: an agent from another program may not delegate"));
  if (reading.narrowed.length > 0)
    remarks.push(
      narrowed("permission", `asked or denied here, unlike there: ${reading.narrowed.slice(0, 10).join(", ")}`),
    );
  if (permission !== undefined || tools !== undefined)
    remarks.push(mapped("permission", `read as tools and as the permission mode ${reading.permission_mode}`));
  const { permission_mode, workspace } = reading;
  return { tools: reading.tools, permission_mode, workspace };
}

/** opencode passes over `permissions`. Whoever writes it means it. */
function misspelt(fields: Fields, remarks: Remark[]): Json | undefined {
  const permissions = fields.take("permissions");
  if (permissions !== undefined) remarks.push(repaired("permissions", "read as permission, which opencode wants"));
  return permissions;
}

/** People write lists, as for other programs; opencode refuses such a file. Nothing else was meant than an allow list. */
function asMap(tools: Json | undefined, remarks: Remark[]): Json | undefined {
  if (typeof tools !== "string" && !Array.isArray(tools)) return tools;
  remarks.push(repaired("tools", "it is a list; read as the only tools that are allowed"));
  const names = toolWords(tools)?.allowed ?? [];
  return Object.fromEntries([["*", false], ...names.map((name) => [name.toLowerCase(), true] as const)]);
}
