// Factory: droids in Markdown. `tools` is a list of names, or one word for a whole category of them.
import type { AgentDefinition, ToolList } from "../../schema/index.ts";
import { describedBy } from "./description.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "./format.ts";
import { asideOf, buildReading, refuse, wordsIn } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { ourAllowed, ourDenied, theirAllowed } from "./lenient/map-tools.ts";
import { readServers, serversToWrite } from "./lenient/mcp-servers.ts";
import { modelFor } from "./lenient/models.ts";
import { ownValue, readEffort } from "./lenient/modes.ts";
import { fileStem, nameFrom } from "./lenient/names.ts";
import { readMarkdown } from "./lenient/read-markdown.ts";
import { toolListOf, workspaceFor } from "./lenient/rights.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";
import { toolsGiven } from "./per-tool/right-of.ts";
import { PLACES } from "./places.ts";

const KEYS: ReadonlySet<string> = new Set(["name", "description", "model", "reasoningEffort", "tools", "mcpServers"]);

const CATEGORIES: Readonly<Record<string, readonly string[]>> = {
  "read-only": ["Read", "LS", "Grep", "Glob"],
  edit: ["Create", "Edit", "ApplyPatch"],
  execute: ["Execute"],
  web: ["WebSearch", "FetchUrl"],
  mcp: ["mcp__*__*"],
};

export const factory: Format = {
  id: "factory",
  label: "Factory",
  places: PLACES.factory,
  read: (file) => [readDroid(file)],
  write: writeDroid,
};

function readDroid(file: ForeignFile): Reading {
  const markdown = readMarkdown(file.text, { keys: KEYS });
  if (!markdown.ok) return refuse(markdown.problem);
  const { remarks, body } = markdown;
  const fields = fieldsOf(markdown.settings, remarks, KEYS);
  const written = fields.text("name") ?? fileStem(file.below, [".md"]);
  const named = nameFrom(written);
  if (named === undefined) return refuse(`${JSON.stringify(written)} cannot be made into a name`);
  remarks.push(...named.remarks);
  const tools = readTools(fields, remarks);
  const draft = {
    name: named.name,
    display_name: named.display_name,
    description: describedBy(fields.text("description"), body, named.name, remarks),
    prompt: body,
    model: fields.text("model"),
    effort: readEffort(fields, "reasoningEffort", remarks),
    tools,
    mcp_servers: readServers(fields, "mcpServers", remarks),
    workspace: workspaceFor(tools, "default"),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("factory", draft, aside, [...remarks, ...others]);
}

function readTools(fields: Fields, remarks: Remark[]): ToolList | undefined {
  const words = fields.tools("tools");
  if (words === undefined) return undefined;
  // By case: `edit` is a category, `Edit` one tool.
  const names = words.allowed.flatMap((word) => ownValue(CATEGORIES, word) ?? [word]);
  const allow = ourAllowed("factory", names);
  const deny = ourDenied("factory", words.denied);
  if (allow.aside.length > 0) fields.keep("tools", [...allow.aside]);
  remarks.push(...allow.remarks, ...deny.remarks);
  return toolListOf(allow.tools, deny.tools);
}

/** Droids have no permission mode: what an agent may not do at all is left out of its tools. */
function writeDroid(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "factory");
  const given = toolsGiven(definition);
  const settings = inOrder(
    {
      name: definition.name,
      description: definition.description,
      model: modelFor(definition.model, { providers: ["anthropic", "openai", "google"] }) ?? "inherit",
      reasoningEffort: definition.effort ?? aside["reasoningEffort"],
      tools: given === undefined ? undefined : theirAllowed("factory", given, wordsIn(aside, "tools")),
      mcpServers: serversToWrite(definition, aside["mcpServers"]),
    },
    aside,
  );
  return { file: `${definition.name}.md`, text: writeMarkdown(settings, definition.prompt) };
}
