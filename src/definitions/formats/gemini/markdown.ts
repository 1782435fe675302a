import type { AgentDefinition, JsonObject } from "../../../schema/index.ts";
import type { ForeignFile, Reading, Written } from "../format.ts";
import { asideOf, refuse, wordsIn } from "../lenient/build-reading.ts";
import { splitFrontMatter } from "../lenient/front-matter.ts";
import { isObject } from "../lenient/json-value.ts";
import { theirAllowed } from "../lenient/map-tools.ts";
import { serversToWrite } from "../lenient/mcp-servers.ts";
import { writeModel } from "../lenient/models.ts";
import { isForPeople } from "../lenient/names.ts";
import { parseYamlValue } from "../lenient/parse-yaml.ts";
import { isTooBig, TOO_BIG } from "../lenient/read-markdown.ts";
import { allowedOnly, rightsOf } from "../lenient/rights.ts";
import { inOrder, writeMarkdown } from "../lenient/write-markdown.ts";
import { isRemote, KEYS, MODELS, readAgentSettings, refuseRemote } from "./agent-settings.ts";

export function readGeminiMarkdown({ text, below }: ForeignFile): readonly Reading[] {
  if (isTooBig(text)) return [refuse(TOO_BIG)];
  const { yaml, body, remarks } = splitFrontMatter(text, KEYS);
  if (yaml === null && isForPeople(below)) return [];
  if (yaml === null) return [refuse("it has no front matter: a line of three dashes (---), then name and description")];
  const parsed = parseYamlValue(yaml, { keys: KEYS });
  if (!parsed.ok) return [refuse(parsed.problem)];
  const { value } = parsed;
  if (Array.isArray(value)) return readList(value.filter(isObject));
  if (!isObject(value)) return [refuse("the settings are not a map of keys and values")];
  return [readAgentSettings(value, body, [...remarks, ...parsed.remarks])];
}

const MAX_AGENTS = 100;

function readList(agents: readonly JsonObject[]): readonly Reading[] {
  if (agents.length === 0) return [refuse("the settings are a list without agents")];
  return agents.slice(0, MAX_AGENTS).map((agent) => {
    if (isRemote(agent)) return refuseRemote(agent);
    const name = typeof agent["name"] === "string" ? agent["name"] : "an agent without a name";
    return refuse(`${name}: only remote agents may stand in a list; any other has a file of its own`);
  });
}

/** Settings that this form shares with TOML, by the names that both use. */
export function geminiSettings(definition: AgentDefinition): JsonObject {
  const aside = asideOf(definition, "gemini");
  const allow = allowedOnly(rightsOf(definition.tools));
  return inOrder({
    name: definition.name.toLowerCase(),
    description: definition.description,
    display_name: definition.display_name,
    tools: allow === undefined ? undefined : theirAllowed("gemini", allow, wordsIn(aside, "tools")),
    model: writeModel(definition.model, aside, MODELS),
    temperature: definition.temperature,
    max_turns: definition.max_turns,
    timeout_mins: definition.timeout_mins === undefined ? undefined : wholeMinutes(definition.timeout_mins),
    // Its own documents have the second spelling; what is there stays as it is spelt.
    ...("mcpServers" in aside && !("mcp_servers" in aside)
      ? { mcpServers: serversToWrite(definition, aside["mcpServers"]) }
      : { mcp_servers: serversToWrite(definition, aside["mcp_servers"]) }),
  });
}

/** Gemini takes whole minutes. */
const wholeMinutes = (minutes: number): number => Math.max(1, Math.floor(minutes));

/** Files without a prompt of their own in the settings have it as their body. */
export function writeGeminiMarkdown(definition: AgentDefinition): Written {
  const { body, ...aside } = asideOf(definition, "gemini", ["persona", "tools", "model"]);
  const settings = inOrder(geminiSettings(definition), aside);
  const file = `${definition.name.toLowerCase()}.md`;
  if (typeof body !== "string") return { file, text: writeMarkdown(settings, definition.prompt) };
  return { file, text: writeMarkdown({ ...settings, system_prompt: definition.prompt }, body) };
}
