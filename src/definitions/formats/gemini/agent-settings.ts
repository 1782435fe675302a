// What Gemini's forms have in common: one flat list of settings.
import { AgentInput, AgentName, type JsonObject } from "../../../schema/index.ts";
import type { Reading, Remark } from "../format.ts";
import { buildReading, refuse } from "../lenient/build-reading.ts";
import { type Fields, fieldsOf } from "../lenient/fields.ts";
import { isObject } from "../lenient/json-value.ts";
import { ourAllowed, ourDenied } from "../lenient/map-tools.ts";
import { readServers } from "../lenient/mcp-servers.ts";
import { type ModelRules, readModel } from "../lenient/models.ts";
import { slugOf } from "../../slug.ts";
import { toolListOf, workspaceFor } from "../lenient/rights.ts";
import { kept, mapped, repaired } from "../lenient/settings.ts";

export const KEYS: ReadonlySet<string> = new Set([
  "kind",
  "name",
  "description",
  "display_name",
  "tools",
  "mcp_servers",
  "mcpServers",
  "model",
  "temperature",
  "top_p",
  "max_turns",
  "timeout_mins",
  "inputs",
  "system_prompt",
  "prompt",
  "query",
]);

/** As Gemini CLI has it: a name in capitals or with blanks does not load there, nor here. */
const NAME = /^[a-z0-9_-]+$/;

export const MODELS: ModelRules = { providers: ["google", "gemini"] };

/** Null: the name is fine. */
export function nameProblem(name: string | undefined): string | null {
  if (name === undefined) return "it has no name";
  if (NAME.test(name) && AgentName.safeParse(name).success) return null;
  const slug = slugOf(name);
  const advice = slug === undefined ? "" : `; try ${slug}`;
  return `${JSON.stringify(name)} is no name in Gemini CLI: lower-case letters, digits, "-" and "_"${advice}`;
}

/** Agents that run elsewhere are listed one by one, so that none hides another. */
export const isRemote = (settings: JsonObject): boolean =>
  settings["kind"] === "remote" || "agent_card_url" in settings || "agent_card_json" in settings;

export function refuseRemote(settings: JsonObject): Reading {
  const name = typeof settings["name"] === "string" ? settings["name"] : "an agent without a name";
  return refuse(`${name}: remote agents are not supported yet`);
}

/** `body` is the prompt, unless the settings have one: then it is there for people, and no model sees it. */
export function readAgentSettings(settings: JsonObject, body: string, remarks: Remark[], keys = KEYS): Reading {
  if (isRemote(settings)) return refuseRemote(settings);
  const fields = fieldsOf(settings, remarks, keys);
  const name = fields.text("name");
  const problem = nameProblem(name);
  const description = fields.text("description");
  if (problem !== null) return refuse(problem);
  if (description === undefined) return refuse(`${name ?? ""}: it has no description`);
  fields.take("kind");
  const tools = readTools(fields, typeof settings["tools"] === "string", remarks);
  const prompt = readPrompt(fields, body, remarks);
  const query = fields.text("query");
  const draft = {
    name,
    description,
    display_name: fields.text("display_name"),
    prompt,
    ...withImplicitQuery(readInputs(fields, remarks), prompt, query, remarks),
    tools,
    model: readModel(fields, MODELS),
    temperature: fields.number("temperature", 2),
    top_p: fields.number("top_p", 1),
    max_turns: fields.whole("max_turns"),
    timeout_mins: fields.count("timeout_mins"),
    mcp_servers: readServers(fields, "mcp_servers", remarks) ?? readServers(fields, "mcpServers", remarks),
    workspace: workspaceFor(tools, "default"),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("gemini", draft, aside, [...remarks, ...others]);
}

function readTools(fields: Fields, isText: boolean, remarks: Remark[]) {
  const words = fields.tools("tools");
  if (isText) remarks.push(repaired("tools", "it is text, where Gemini CLI wants a list"));
  const allow = words === undefined ? undefined : ourAllowed("gemini", words.allowed);
  const deny = ourDenied("gemini", words?.denied ?? []);
  remarks.push(...(allow?.remarks ?? []), ...deny.remarks);
  if (allow !== undefined && allow.aside.length > 0) fields.keep("tools", [...allow.aside]);
  return toolListOf(allow?.tools, deny.tools);
}

function readPrompt(fields: Fields, body: string, remarks: Remark[]): string {
  const key = fields.text("system_prompt") === undefined ? "prompt" : "system_prompt";
  const prompt = fields.text(key);
  if (prompt === undefined) return body;
  remarks.push(mapped(key, "it is the prompt; the text below the settings is for people, and no model sees it"));
  if (body !== "") fields.keep("body", body);
  return prompt;
}

/** A list as ours, or a map from names to what each is. */
function readInputs(fields: Fields, remarks: Remark[]): AgentInput[] {
  const value = fields.take("inputs");
  if (value === undefined) return [];
  const list = isObject(value)
    ? Object.entries(value).map(([name, input]) => (isObject(input) ? { ...input, name } : { name }))
    : Array.isArray(value)
      ? value
      : [];
  const inputs = list.map((input) => AgentInput.safeParse(input));
  const names = inputs.map((input) => input.data?.name);
  if (!inputs.every((input) => input.success) || new Set(names).size !== names.length || list.length === 0) {
    remarks.push(kept("inputs", "they are not as inputs are here, and are not used"));
    fields.keep("inputs", value);
    return [];
  }
  return inputs.flatMap((input) => (input.success ? [input.data] : []));
}

interface Templates {
  readonly inputs: AgentInput[];
  readonly query: string | undefined;
}

/** Every agent has the input `query` there. It is declared where the templates use it, and nothing else. */
function withImplicitQuery(
  inputs: AgentInput[],
  prompt: string,
  query: string | undefined,
  remarks: Remark[],
): Templates {
  if (query === "${query}" && inputs.length === 0) return { inputs, query: undefined };
  const used = new Set(
    [...`${prompt}\n${query ?? ""}`.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map((match) => match[1] ?? ""),
  );
  const declared = new Set(inputs.map((input) => input.name));
  const others = [...used].filter((name) => !declared.has(name));
  if (others.length !== 1 || others[0] !== "query") return { inputs, query };
  remarks.push(mapped("query", "the input that every agent of Gemini CLI has is declared"));
  return { inputs: [...inputs, { name: "query", type: "string" }], query };
}
