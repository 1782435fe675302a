// Goose's recipes, in YAML or JSON: instructions, a first message, parameters, a schema for the answer.
import { isDeepStrictEqual } from "node:util";
import type { AgentDefinition, Json, JsonObject, McpServers } from "../../../schema/index.ts";
import { describedBy } from "../description.ts";
import type { ForeignFile, Reading, Remark, Written } from "../format.ts";
import { asideOf, buildReading, refuse } from "../lenient/build-reading.ts";
import { type Fields, fieldsOf } from "../lenient/fields.ts";
import { isObject } from "../lenient/json-value.ts";
import { inlineServers } from "../lenient/mcp-servers.ts";
import { fileStem, nameFrom } from "../lenient/names.ts";
import { parseJson } from "../lenient/parse-data.ts";
import { parseYaml } from "../lenient/parse-yaml.ts";
import { isTooBig, TOO_BIG } from "../lenient/read-markdown.ts";
import { workspaceFor } from "../lenient/rights.ts";
import { kept, mapped, narrowed } from "../lenient/settings.ts";
import { inOrder, writeYaml } from "../lenient/write-markdown.ts";
import { toolsGiven } from "../per-tool/right-of.ts";
import { PLAIN_TOOLS } from "../per-tool/tool-right.ts";
import { extensionServers, writeServers } from "./extension-servers.ts";
import { extensionTools, writeExtensions } from "./extensions.ts";
import {
  fromPlaces,
  hasMoreThanPlaces,
  type Parameter,
  readParameters,
  toPlaces,
  writeParameters,
} from "./recipe-inputs.ts";

const KEYS: ReadonlySet<string> = new Set(
  "version title description instructions prompt parameters extensions settings response retry sub_recipes activities author".split(
    " ",
  ),
);
const MAX_BYTES = 128 * 1024;

export function readRecipe(file: ForeignFile): Reading {
  if (isTooBig(file.text)) return refuse(TOO_BIG);
  const isJson = /\.json$/i.test(file.below);
  const parsed = isJson
    ? parseJson(file.text)
    : parseYaml(file.text.replace(/^\uFEFF/, ""), { keys: KEYS, maxBytes: MAX_BYTES });
  if (!parsed.ok) return refuse(parsed.problem);
  const remarks: Remark[] = [...parsed.remarks];
  const fields = fieldsOf(parsed.value, remarks, KEYS);
  const named = nameFrom(fileStem(file.below, [".yaml", ".yml", ".json"]), "file");
  if (named === undefined) return refuse("its file's name cannot be made into a name");
  remarks.push(...named.remarks);
  const [instructions, first] = [fields.text("instructions"), fields.text("prompt")];
  if (instructions === undefined && first === undefined) {
    return refuse(`${named.name}: it has neither instructions nor a prompt, so Goose does not take it`);
  }
  const parameters = readInputs(fields);
  if ([instructions, first].some((text) => text !== undefined && hasMoreThanPlaces(toPlaces(text, parameters))))
    remarks.push(kept("instructions", "what else its templates fill in stays as it is written"));
  const title = fields.text("title");
  const { tools, mcp_servers } = readTools(fields, remarks);
  const draft = {
    name: named.name,
    display_name: title ?? named.display_name,
    description: describedBy(fields.text("description") ?? title, instructions ?? "", named.name, remarks),
    prompt: instructions === undefined ? "" : toPlaces(instructions, parameters),
    query: first === undefined ? undefined : toPlaces(first, parameters),
    inputs: parameters.map(({ input }) => input),
    output: readOutput(fields),
    tools,
    mcp_servers,
    workspace: workspaceFor(tools, "default"),
    ...readSettings(fields),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("goose", draft, { ...aside, [RECIPE]: true }, [...remarks, ...others]);
}

/** Says that the agent came from a recipe, and so goes back into one. */
const RECIPE = "_recipe";

function readInputs(fields: Fields): Parameter[] {
  const parameters = fields.take("parameters");
  if (parameters !== undefined) fields.keep("parameters", parameters);
  return readParameters(parameters);
}

interface Tools {
  readonly tools?: string[] | undefined;
  readonly mcp_servers?: McpServers | undefined;
}

function readTools(fields: Fields, remarks: Remark[]): Tools {
  const extensions = fields.take("extensions");
  if (fields.take("sub_recipes") !== undefined) {
    fields.keep("sub_recipes", fields.take("sub_recipes") ?? null);
    remarks.push(narrowed("sub_recipes", "left out: an agent from another program may not delegate"));
  }
  if (extensions === undefined) return {};
  fields.keep("extensions", extensions);
  const found = extensionTools(extensions);
  if (found !== undefined && found.dropped.length > 0)
    remarks.push(narrowed("extensions", `without a tool here: ${found.dropped.slice(0, 10).join(", ")}`));
  const { servers, left } = extensionServers(extensions);
  if (servers !== undefined) remarks.push(mapped("extensions", "its servers are asked about before they are started"));
  for (const name of left) remarks.push(kept("extensions", `${name} is no server that can be used here`));
  return { tools: found === undefined ? undefined : [...found.tools], mcp_servers: servers };
}

function readOutput(fields: Fields): { schema: JsonObject } | undefined {
  const response = fields.take("response");
  const schema = isObject(response) ? response["json_schema"] : undefined;
  if (isObject(schema)) return { schema };
  if (response !== undefined) fields.keep("response", response);
  return undefined;
}

function readSettings(fields: Fields) {
  const settings = fields.take("settings");
  if (!isObject(settings)) return {};
  fields.keep("settings", settings);
  const inner = fieldsOf(settings, []);
  const [provider, model] = [inner.text("goose_provider"), inner.text("goose_model")];
  return {
    model: provider === undefined || model === undefined ? model : `${provider}/${model}`,
    temperature: inner.number("temperature", 2),
    max_turns: inner.whole("max_turns"),
  };
}

/** Whether an agent says something that only a recipe can. */
export const isForRecipe = (definition: AgentDefinition): boolean =>
  asideOf(definition, "goose")[RECIPE] === true ||
  definition.inputs.length > 0 ||
  Object.keys(inlineServers(definition)).length > 0 ||
  [definition.output, definition.query, definition.temperature, definition.max_turns, toolsGiven(definition)].some(
    (value) => value !== undefined,
  );

export function writeRecipe(definition: AgentDefinition): Written {
  const { [RECIPE]: _, parameters: before, settings, extensions, ...aside } = asideOf(definition, "goose");
  const old = readParameters(before);
  const isSame = isDeepStrictEqual(
    old.map(({ input }) => input),
    definition.inputs,
  );
  const places = isSame ? old : definition.inputs.map((input) => ({ key: input.name, input }));
  const recipe = inOrder(
    {
      version: aside["version"] ?? "1.0.0",
      title: definition.display_name ?? definition.name,
      description: definition.description,
      instructions: instructionsFor(definition, places),
      prompt: definition.query === undefined ? undefined : fromPlaces(definition.query, places),
      parameters: definition.inputs.length === 0 ? undefined : isSame ? before : writeParameters(definition.inputs),
      extensions: extensionsToWrite(definition, extensions),
      settings: settingsToWrite(definition, settings),
      response: definition.output === undefined ? aside["response"] : { json_schema: definition.output.schema },
    },
    aside,
  );
  return { file: `${definition.name}.yaml`, text: writeYaml(recipe) };
}

/** Goose takes no recipe that has nothing to say. */
function instructionsFor(
  { prompt, query, description }: AgentDefinition,
  places: readonly Parameter[],
): string | undefined {
  if (prompt !== "") return fromPlaces(prompt, places);
  return query === undefined ? description : undefined;
}

function extensionsToWrite(definition: AgentDefinition, before: Json | undefined): Json | undefined {
  const was = before === undefined ? undefined : [extensionTools(before)?.tools, extensionServers(before).servers];
  if (isDeepStrictEqual(was, [definition.tools, definition.mcp_servers])) return before;
  const given = toolsGiven(definition);
  const servers = writeServers(definition);
  if (given === undefined && servers.length === 0) return undefined;
  // With a list Goose gives an agent nothing else, so an agent with every tool has to have them named.
  return [...writeExtensions(given ?? PLAIN_TOOLS), ...servers];
}

function settingsToWrite(
  { model, temperature, max_turns }: AgentDefinition,
  before: Json | undefined,
): Json | undefined {
  const { goose_provider: _p, goose_model: _m, ...others } = isObject(before) ? before : {};
  const [provider, ...rest] = model === "inherit" ? [] : model.split("/");
  const settings = inOrder(
    {
      goose_provider: rest.length === 0 ? undefined : provider,
      goose_model: rest.length === 0 ? provider : rest.join("/"),
      temperature,
      max_turns,
    },
    others,
  );
  return Object.keys(settings).length === 0 ? undefined : settings;
}
