// opencode: Markdown whose file name is the agent's name, and `agent.<name>` in opencode.json or opencode.jsonc.
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition, Json, JsonObject } from "../../../schema/index.ts";
import type { ForeignFile, Format, Reading, Written } from "../format.ts";
import { asideOf, refuse } from "../lenient/build-reading.ts";
import { isObject } from "../lenient/json-value.ts";
import { slugOf } from "../../slug.ts";
import { parseJson } from "../lenient/parse-data.ts";
import { readMarkdown } from "../lenient/read-markdown.ts";
import { inOrder, writeMarkdown } from "../lenient/write-markdown.ts";
import { KEYS, readOpencode, WRITTEN } from "./opencode-fields.ts";
import { NO_TOOLS, readPermission } from "./read-permission.ts";
import { writePermission } from "./write-permission.ts";
import { PLACES } from "../places.ts";

export const opencode: Format = {
  id: "opencode",
  label: "opencode",
  places: PLACES.opencode,
  read: (file) => (/\.jsonc?$/i.test(file.below) ? readConfig(file) : [readFile(file)]),
  write: writeAgent,
};

function readFile({ text, below }: ForeignFile): Reading {
  const file = readMarkdown(text, { keys: KEYS });
  if (!file.ok) return refuse(file.problem);
  return readOpencode({ written: below.replace(/\.md$/i, ""), ...file }, file.remarks);
}

/** opencode's own agents, which a file may set up without describing them. */
const OWN: ReadonlySet<string> = new Set(["build", "plan", "general", "explore", "title", "summary", "compaction"]);

function readConfig({ text }: ForeignFile): Reading[] {
  const config = parseJson(text);
  if (!config.ok) return [refuse(config.problem)];
  const agents = config.value["agent"];
  if (agents === undefined || agents === null) return [];
  if (!isObject(agents)) return [refuse("agent is not a map of agents")];
  return Object.entries(agents).flatMap(([name, agent]) => {
    if (!isObject(agent)) return [refuse(`${name}: it is not a map`)];
    const isSetUpOnly = OWN.has(name) && agent["prompt"] === undefined;
    // Comments are at home in this file; that they were there is no news.
    return isSetUpOnly ? [] : [readOpencode({ written: name, settings: agent }, [])];
  });
}

function writeAgent(definition: AgentDefinition): Written {
  const { [WRITTEN]: path, permission, tools, ...aside } = asideOf(definition, "opencode");
  const rights = isStill(definition, permission, tools)
    ? { permission: permission ?? undefined, tools: tools ?? undefined }
    : { permission: { ...writePermission(definition), ...otherPermissions(permission) } };
  const settings = inOrder(
    {
      name: undefined, // the file's name is the agent's; a `name` would be sent to the model's provider
      description: definition.description,
      mode: modeFor(definition.capabilities),
      model: definition.model.includes("/") || definition.model === aside["model"] ? definition.model : undefined,
      variant: definition.effort ?? aside["variant"],
      temperature: definition.temperature ?? aside["temperature"],
      top_p: definition.top_p ?? aside["top_p"],
      steps: definition.max_turns,
      ...rights,
    },
    aside,
  );
  return { file: `${fileFor(definition.name, path)}.md`, text: writeMarkdown(settings, definition.prompt) };
}

/** Its folders, if it has any, unless they would lead elsewhere. */
function fileFor(name: string, written: Json | undefined): string {
  if (typeof written !== "string" || slugOf(written) !== name) return name;
  return written.split("/").every((part) => /^\w[\w .-]*$/.test(part)) ? written : name;
}

function modeFor(capabilities: AgentDefinition["capabilities"]): string {
  if (!capabilities.includes("primary")) return "subagent";
  return capabilities.includes("subtask") ? "all" : "primary";
}

/** Whether what the file once said still means what the definition says. */
function isStill(definition: AgentDefinition, permission: Json | undefined, tools: Json | undefined): boolean {
  if (permission === undefined && tools === undefined) return false;
  const { tools: list, permission_mode, workspace } = readPermission(permission, tools);
  const { tools: ours, permission_mode: mode, workspace: place } = definition;
  return isDeepStrictEqual([list, permission_mode, workspace], [ours, mode, place]);
}

/** Those that are about no tool of ours, and restrict: what they allow was allowed together with the rest. */
const otherPermissions = (permission: unknown): JsonObject =>
  isObject(permission)
    ? Object.fromEntries(Object.entries(permission).filter(([key, word]) => NO_TOOLS.has(key) && !allowsSome(word)))
    : {};

const allowsSome = (word: unknown): boolean =>
  isObject(word) ? Object.values(word).some(allowsSome) : word !== "ask" && word !== "deny";
