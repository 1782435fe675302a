// Kiro: JSON up to 2.x, where `prompt` is a field, and Markdown from 3.0 on.
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition, JsonObject } from "../../../schema/index.ts";
import { describedBy } from "../description.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "../format.ts";
import { asideOf, buildReading, refuse } from "../lenient/build-reading.ts";
import { type Fields, fieldsOf } from "../lenient/fields.ts";
import { nameToWrite } from "../lenient/identity.ts";
import { inlineServers, readServers, serversToWrite } from "../lenient/mcp-servers.ts";
import { modelFor } from "../lenient/models.ts";
import { nameFrom } from "../lenient/names.ts";
import { parseJson } from "../lenient/parse-data.ts";
import { readMarkdown } from "../lenient/read-markdown.ts";
import { mapped, narrowed } from "../lenient/settings.ts";
import { inOrder, writeMarkdown } from "../lenient/write-markdown.ts";
import { readRights, RIGHTS } from "./read-rights.ts";
import { writeOldRights, writeRights } from "./write-rights.ts";
import { PLACES } from "../places.ts";

const KEYS: ReadonlySet<string> = new Set([
  ..."name description prompt model mcpServers resources hooks includeMcpJson welcomeMessage".split(" "),
  ..."toolAliases keyboardShortcut".split(" "),
  ...RIGHTS,
]);

export const kiro: Format = {
  id: "kiro",
  label: "Kiro",
  places: PLACES.kiro,
  read: (file) => [/\.json$/i.test(file.below) ? readOld(file) : readNew(file)],
  write: (definition) =>
    asideOf(definition, "kiro")[JSON_FORM] === true ? writeOld(definition) : writeNew(definition),
};

/** Says that the agent came from JSON, and so goes back into it. */
const JSON_FORM = "_json";

function readNew(file: ForeignFile): Reading {
  const markdown = readMarkdown(file.text, { keys: KEYS });
  if (!markdown.ok) return refuse(markdown.problem);
  return readKiro(file, markdown.settings, markdown.remarks, markdown.body);
}

function readOld(file: ForeignFile): Reading {
  const json = parseJson(file.text);
  return json.ok ? readKiro(file, json.value, [...json.remarks], undefined) : refuse(json.problem);
}

function readKiro(file: ForeignFile, settings: JsonObject, remarks: Remark[], body: string | undefined): Reading {
  const fields = fieldsOf(settings, remarks, KEYS);
  const written = fields.text("name") ?? file.below.replace(/\.(?:md|json)$/i, "");
  const named = nameFrom(written);
  if (named === undefined) return refuse(`${JSON.stringify(written.slice(0, 80))} cannot be made into a name`);
  if (named.name !== written) fields.keep("name", written);
  remarks.push(...named.remarks);
  const prompt = body ?? fields.text("prompt") ?? "";
  if (prompt.startsWith("file://"))
    return refuse(`${named.name}: its prompt is in another file, ${prompt}, which is not read`);
  const { tools, permission_mode, workspace } = takeRights(fields, body !== undefined, remarks);
  const draft = {
    name: named.name,
    display_name: named.display_name,
    description: describedBy(fields.text("description"), prompt, named.name, remarks),
    prompt,
    model: readModel(fields),
    tools,
    mcp_servers: readServers(fields, "mcpServers", remarks),
    permission_mode,
    workspace,
  };
  const { aside, remarks: others } = fields.aside();
  const form = body === undefined ? { [JSON_FORM]: true } : {};
  return buildReading("kiro", draft, { ...aside, ...form }, [...remarks, ...others]);
}

/** A name that only other programs know is kept as it is. */
function readModel(fields: Fields): string | undefined {
  const model = fields.text("model");
  if (model !== undefined && nameHere(model) === undefined) fields.keep("model", model);
  return model;
}

const nameHere = (model: string): string | undefined => modelFor(model, { providers: ["anthropic"] });

function takeRights(fields: Fields, hasTags: boolean, remarks: Remark[]) {
  const said: JsonObject = {};
  for (const key of RIGHTS) {
    const value = fields.take(key);
    if (value === undefined) continue;
    said[key] = value;
    fields.keep(key, value);
  }
  const rights = readRights(said, hasTags);
  const { unknown, delegates } = rights.given;
  if (said["tools"] === undefined)
    remarks.push(
      narrowed("tools", hasTags ? "there are none; here the agent only reads" : "there are none, so it has none"),
    );
  if (unknown.length > 0) remarks.push(narrowed("tools", `without a tool here: ${unknown.slice(0, 10).join(", ")}`));
  if (delegates)
    remarks.push(narrowed("tools", "subagent is left out: an agent from another program may not delegate"));
  if (rights.narrowed.length > 0)
    remarks.push(narrowed("permissions", `asked here, unlike there: ${rights.narrowed.slice(0, 10).join(", ")}`));
  remarks.push(mapped("tools", `read as tools and as the permission mode ${rights.permission_mode}`));
  return rights;
}

/** What the file once said, as long as it still means what the definition says. */
function sameRights(definition: AgentDefinition, aside: JsonObject, hasTags: boolean): JsonObject | undefined {
  const said = Object.fromEntries(RIGHTS.flatMap((key) => (aside[key] === undefined ? [] : [[key, aside[key]]])));
  const { tools, permission_mode, workspace } = readRights(said, hasTags);
  const ours = [definition.tools, definition.permission_mode, definition.workspace];
  return isDeepStrictEqual([tools, permission_mode, workspace], ours) ? said : undefined;
}

const withoutRights = (aside: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(aside).filter(([key]) => key !== JSON_FORM && !RIGHTS.some((one) => one === key)));

const modelOf = ({ model }: AgentDefinition, aside: JsonObject): string | undefined =>
  nameHere(model) ?? (aside["model"] === model && model !== "inherit" ? model : undefined);

/** Kiro has only a map of servers: of those that it knows from its own settings an agent cannot name one. */
function serversOf(definition: AgentDefinition, aside: JsonObject) {
  const servers = inlineServers(definition);
  const mcp_servers = Object.keys(servers).length === 0 ? undefined : servers;
  return { mcpServers: serversToWrite({ mcp_servers }, aside["mcpServers"]) };
}

function writeNew(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "kiro");
  const settings = inOrder(
    {
      // The file's name is the agent's, unless it had another.
      name: aside["name"] === undefined ? undefined : nameToWrite(definition.name, aside),
      description: definition.description,
      model: modelOf(definition, aside),
      ...(sameRights(definition, aside, true) ?? writeRights(definition)),
      ...serversOf(definition, aside),
    },
    withoutRights(aside),
  );
  return { file: `${definition.name}.md`, text: writeMarkdown(settings, definition.prompt) };
}

function writeOld(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "kiro");
  const settings = inOrder(
    {
      name: nameToWrite(definition.name, aside),
      description: definition.description,
      prompt: definition.prompt,
      model: modelOf(definition, aside),
      ...(sameRights(definition, aside, false) ?? writeOldRights(definition)),
      ...serversOf(definition, aside),
    },
    withoutRights(aside),
  );
  return { file: `${definition.name}.json`, text: `${JSON.stringify(settings, null, 2)}\n` };
}
