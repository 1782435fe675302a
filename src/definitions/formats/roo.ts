// Roo Code: one file for all modes of a project, `.roomodes`, in YAML or JSON. Tools come in groups.
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition, Json, JsonObject } from "../../schema/index.ts";
import { describedBy } from "./description.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "./format.ts";
import { asideOf, buildReading, refuse } from "./lenient/build-reading.ts";
import { fieldsOf } from "./lenient/fields.ts";
import { isObject } from "./lenient/json-value.ts";
import { ownValue } from "./lenient/modes.ts";
import { nameFrom } from "./lenient/names.ts";
import { parseJson } from "./lenient/parse-data.ts";
import { parseYaml } from "./lenient/parse-yaml.ts";
import { isTooBig, TOO_BIG } from "./lenient/read-markdown.ts";
import { workspaceFor } from "./lenient/rights.ts";
import { kept, mapped, narrowed } from "./lenient/settings.ts";
import { inOrder, writeYaml } from "./lenient/write-markdown.ts";
import { toolsGiven } from "./per-tool/right-of.ts";
import { PLACES } from "./places.ts";

const FILE = ".roomodes";

/** `allowedMcpServers` is Zoo Code's, `rulesFiles` what an exported mode brings with it. */
const KEYS: ReadonlySet<string> = new Set(
  "slug name roleDefinition whenToUse description customInstructions groups source allowedMcpServers rulesFiles".split(
    " ",
  ),
);

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  read: ["Read", "Glob", "Grep", "List"],
  edit: ["Edit", "Write"],
  command: ["Bash"],
  mcp: ["mcp__*__*"],
};

/** In Roo every mode has them. */
const ALWAYS = ["TodoWrite", "AskUser"];

export const roo: Format = {
  id: "roo",
  label: "Roo Code",
  places: PLACES.roo,
  read: readModes,
  write: writeMode,
};

function readModes({ text }: ForeignFile): readonly Reading[] {
  if (isTooBig(text)) return [refuse(TOO_BIG)];
  const isJson = /^\uFEFF?\s*\{/.test(text);
  const file = isJson ? parseJson(text) : parseYaml(text.replace(/^\uFEFF/, ""), { maxBytes: MAX_BYTES });
  if (!file.ok) return [refuse(file.problem)];
  const modes = file.value["customModes"];
  if (modes === undefined || modes === null) return [];
  if (!Array.isArray(modes)) return [refuse("customModes is not a list")];
  return modes.map((mode, index) => (isObject(mode) ? readMode(mode) : refuse(`mode ${index + 1}: it is not a map`)));
}

/** A file holds many modes, and their prompts. */
const MAX_BYTES = 128 * 1024;

function readMode(settings: JsonObject): Reading {
  const remarks: Remark[] = [];
  const fields = fieldsOf(settings, remarks, KEYS);
  const title = fields.text("name");
  const written = fields.text("slug") ?? title;
  const named = written === undefined ? undefined : nameFrom(written, "slug");
  if (named === undefined) return refuse("a mode has no slug, so Roo Code does not take it");
  remarks.push(...named.remarks);
  const role = fields.text("roleDefinition");
  if (role === undefined) return refuse(`${named.name}: it has no roleDefinition, so Roo Code does not take it`);
  const more = fields.text("customInstructions");
  if (more !== undefined) fields.keep("customInstructions", more);
  const prompt = more === undefined ? role : `${role}\n\n${more}`;
  const groups = fields.take("groups") ?? [];
  fields.keep("groups", groups);
  const tools = readGroups(groups, remarks);
  const [whenToUse, description] = [fields.text("whenToUse"), fields.text("description")];
  if (whenToUse !== undefined && description !== undefined) fields.keep("description", description);
  const draft = {
    name: named.name,
    display_name: title === named.name ? undefined : title,
    description: describedBy(whenToUse ?? description, role, named.name, remarks),
    prompt,
    capabilities: ["primary" as const, "subtask" as const],
    tools,
    workspace: workspaceFor(tools, "default"),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("roo", draft, aside, [...remarks, ...others]);
}

function readGroups(groups: Json, remarks: Remark[]): string[] {
  const tools = new Set<string>();
  for (const group of Array.isArray(groups) ? groups : []) {
    const [name, options] = Array.isArray(group) ? group : [group, undefined];
    const given = typeof name === "string" ? ownValue(GROUPS, name) : undefined;
    if (name === "modes")
      remarks.push(narrowed("groups", "modes is left out: an agent from another program may not delegate"));
    else if (given === undefined) remarks.push(kept("groups", `${JSON.stringify(name)} has no tools here`));
    else if (isObject(options) && options["fileRegex"] !== undefined)
      remarks.push(
        narrowed("groups", `${JSON.stringify(name)} is for some files only, which cannot be said here; it is left out`),
      );
    else for (const tool of given) tools.add(tool);
  }
  remarks.push(mapped("groups", "groups are read as tools"));
  return [...tools, ...ALWAYS];
}

function writeMode(definition: AgentDefinition): Written {
  const { description, customInstructions, groups, ...aside } = asideOf(definition, "roo");
  const end = typeof customInstructions === "string" ? `\n\n${customInstructions}` : "";
  const isSplit = end !== "" && definition.prompt.endsWith(end);
  // Groups that are for some files only come back as long as the agent has the tools that were read from them.
  const isStill = groups !== undefined && isDeepStrictEqual(readGroups(groups, []), definition.tools);
  const mode = inOrder(
    {
      slug: definition.name,
      name: definition.display_name ?? definition.name,
      roleDefinition: isSplit ? definition.prompt.slice(0, -end.length) : definition.prompt,
      whenToUse: definition.description,
      description,
      customInstructions: isSplit ? customInstructions : undefined,
      groups: isStill ? groups : writeGroups(toolsGiven(definition)),
    },
    aside,
  );
  return { file: FILE, text: writeYaml({ customModes: [mode] }) };
}

/** Reading is one thing there: who may read a file may search, too. Every other group only as a whole. */
function writeGroups(given: readonly string[] | undefined): string[] {
  return Object.entries(GROUPS).flatMap(([group, tools]) => {
    const needed = group === "read" ? tools.slice(0, 1) : tools;
    return given === undefined || needed.every((tool) => given.includes(tool)) ? [group] : [];
  });
}
