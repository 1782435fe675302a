// GitHub Copilot: `.agent.md` files. Tools go by names for groups of them (`edit` writes too), and a name that is
// not known there is passed over in silence.
import type { AgentDefinition, Capability, Json, JsonObject } from "../../schema/index.ts";
import type { Format, Remark, Written } from "./format.ts";
import { asideOf, wordsIn } from "./lenient/build-reading.ts";
import type { Fields } from "./lenient/fields.ts";
import { nameToWrite } from "./lenient/identity.ts";
import { ourAllowed, ourDenied, theirAllowed } from "./lenient/map-tools.ts";
import { readServers, serversToWrite } from "./lenient/mcp-servers.ts";
import { type ModelRules, readModel, writeModel } from "./lenient/models.ts";
import { readEffort } from "./lenient/modes.ts";

import { type MarkdownAgents, readAgentMarkdown } from "./lenient/read-agent-markdown.ts";
import { allowedOnly, rightsOf, toolListOf, workspaceFor } from "./lenient/rights.ts";
import { kept, mapped, repaired } from "./lenient/settings.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";

const KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "target",
  "tools",
  "model",
  "models",
  "modelPolicy",
  "reasoningEffort",
  "include-custom-instructions",
  "disable-model-invocation",
  "user-invocable",
  "infer",
  "mcp-servers",
  "metadata",
  "sidekick",
  "argument-hint",
  "agents",
  "handoffs",
]);

const ENDINGS = [".agent.md", ".md"];
const MAX_PROMPT = 30_000;
const MODELS: ModelRules = { providers: ["openai", "anthropic", "google"] };

export const copilot: Format = {
  id: "copilot",
  label: "GitHub Copilot",
  places: [
    { of: "project", path: ".github/agents", endings: ENDINGS },
    { of: "user", path: ".copilot/agents", endings: ENDINGS },
  ],
  read: (file) => readAgentMarkdown(file, AGENTS),
  write: (definition) => writeCopilot(definition),
};

const AGENTS: MarkdownAgents = {
  id: "copilot",
  program: "Copilot",
  keys: KEYS,
  endings: ENDINGS,
  meaning(fields, remarks, { body }) {
    if (body.length > MAX_PROMPT) {
      remarks.push(
        repaired("prompt", `it has ${body.length} characters; Copilot takes ${MAX_PROMPT}, and here it is whole`),
      );
    }
    const words = fields.tools("tools");
    const allow = words === undefined ? undefined : ourAllowed("copilot", words.allowed);
    const deny = ourDenied("copilot", words?.denied ?? []);
    remarks.push(...(allow?.remarks ?? []), ...deny.remarks);
    if (allow !== undefined && allow.aside.length > 0) fields.keep("tools", [...allow.aside]);
    const tools = toolListOf(allow?.tools, deny.tools);
    return {
      tools,
      capabilities: readCapabilities(fields, remarks),
      model: readModels(fields, remarks),
      effort: readEffort(fields, "reasoningEffort", remarks),
      mcp_servers: readServers(fields, "mcp-servers", remarks),
      workspace: workspaceFor(tools, "default"),
    };
  },
};

/** The first of several is used; the rest is what Copilot would fall back to. */
function readModels(fields: Fields, remarks: Remark[]): string | undefined {
  const value = fields.take("model");
  if (!Array.isArray(value)) return readModel(fields, MODELS);
  fields.keep("model", value);
  const [first] = value.filter((model) => typeof model === "string");
  remarks.push(kept("model", `it is a list; ${first === undefined ? "none of it" : "the first of it"} is used`));
  return first === "" ? undefined : first;
}

/** An agent that no model may call is one that a person starts. */
function readCapabilities(fields: Fields, remarks: Remark[]): Capability[] | undefined {
  const isClosed = fields.flag("disable-model-invocation");
  const isInferred = fields.flag("infer");
  if (isInferred !== undefined) fields.keep("infer", isInferred);
  if (isClosed === false) fields.keep("disable-model-invocation", false);
  if (isClosed !== true && (isClosed === false || isInferred !== false)) return undefined;
  remarks.push(mapped(isClosed === true ? "disable-model-invocation" : "infer", "only a person may start it"));
  return ["primary"];
}

function writeCopilot(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "copilot");
  const allow = allowedOnly(rightsOf(definition.tools));
  const isClosed = !definition.capabilities.includes("subtask");
  const fields = {
    name: nameToWrite(definition.name, aside),
    description: definition.description,
    tools: allow === undefined ? undefined : theirAllowed("copilot", allow, wordsIn(aside, "tools")),
    model: modelToWrite(definition.model, aside),
    reasoningEffort: definition.effort ?? aside["reasoningEffort"],
    "mcp-servers": serversToWrite(definition, aside["mcp-servers"]),
    "disable-model-invocation": isClosed ? true : aside["disable-model-invocation"],
  };
  return { file: `${definition.name}.agent.md`, text: writeMarkdown(inOrder(fields, aside), definition.prompt) };
}

function modelToWrite(model: string, aside: JsonObject): Json | undefined {
  const before = aside["model"];
  if (Array.isArray(before) && before.find((one) => typeof one === "string") === model) return before;
  return writeModel(model, aside, MODELS);
}
