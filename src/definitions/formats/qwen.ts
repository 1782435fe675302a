// Qwen Code: Markdown with its own names for tools and modes. Claude Code's `permissionMode` is read there too.
import type { AgentDefinition, PermissionMode, ToolList } from "../../schema/index.ts";
import type { Format, Remark, Written } from "./format.ts";
import { asideOf, wordsIn } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { nameToWrite } from "./lenient/identity.ts";
import { isObject } from "./lenient/json-value.ts";
import { ourAllowed, ourDenied, theirAllowed, theirDenied } from "./lenient/map-tools.ts";
import { readServers, serversToWrite } from "./lenient/mcp-servers.ts";
import { type ModelRules, readModel, writeModel } from "./lenient/models.ts";
import { capByHooks, readMode } from "./lenient/modes.ts";

import { type MarkdownAgents, readAgentMarkdown } from "./lenient/read-agent-markdown.ts";
import { narrowerMode, rightsOf, toolListOf, workspaceFor } from "./lenient/rights.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";

const KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "model",
  "approvalMode",
  "permissionMode",
  "tools",
  "disallowedTools",
  "background",
  "color",
  "maxTurns",
  "runConfig",
  "mcpServers",
  "hooks",
  "effort",
  "skills",
  "initialPrompt",
  "memory",
  "isolation",
]);

const MODES: Readonly<Record<string, PermissionMode>> = {
  default: "default",
  plan: "plan",
  "auto-edit": "acceptEdits",
  yolo: "auto",
  bubble: "default", // the parent is asked there; here a person is
};

const CLAUDE_MODES: Readonly<Record<string, PermissionMode>> = {
  default: "default",
  plan: "plan",
  acceptEdits: "acceptEdits",
  auto: "acceptEdits",
  bypassPermissions: "auto",
  dontAsk: "default",
};

const MODELS: ModelRules = { providers: ["qwen", "alibaba"] };

export const qwen: Format = {
  id: "qwen",
  label: "Qwen Code",
  places: [
    { of: "project", path: ".qwen/agents", endings: [".md"] },
    { of: "user", path: ".qwen/agents", endings: [".md"] },
  ],
  read: (file) => readAgentMarkdown(file, AGENTS),
  write: (definition) => writeQwen(definition),
};

const AGENTS: MarkdownAgents = {
  id: "qwen",
  program: "Qwen Code",
  keys: KEYS,
  meaning(fields, remarks) {
    const tools = readTools(fields, remarks);
    const permission_mode = readModes(fields, remarks);
    const limits = readLimits(fields, remarks);
    return {
      tools,
      permission_mode,
      model: readModel(fields, MODELS),
      max_turns: fields.whole("maxTurns") ?? limits.turns,
      timeout_mins: limits.minutes,
      background: fields.flag("background"),
      mcp_servers: readServers(fields, "mcpServers", remarks),
      workspace: workspaceFor(tools, permission_mode),
    };
  },
};

function readTools(fields: Fields, remarks: Remark[]): ToolList | undefined {
  const words = fields.tools("tools");
  const allow = words === undefined ? undefined : ourAllowed("qwen", words.allowed);
  const deny = ourDenied("qwen", [...fields.denied("disallowedTools"), ...(words?.denied ?? [])], "disallowedTools");
  remarks.push(...(allow?.remarks ?? []), ...deny.remarks);
  if (allow !== undefined && allow.aside.length > 0) fields.keep("tools", [...allow.aside]);
  if (deny.aside.length > 0) fields.keep("disallowedTools", [...deny.aside]);
  return toolListOf(allow?.tools, deny.tools);
}

function readModes(fields: Fields, remarks: Remark[]): PermissionMode {
  const own = readMode(fields, "approvalMode", MODES, remarks);
  const other = readMode(fields, "permissionMode", CLAUDE_MODES, remarks);
  const mode = own !== undefined && other !== undefined ? narrowerMode(own, other) : (own ?? other ?? "default");
  return capByHooks(fields, "approvalMode", mode, remarks);
}

/** The older place of the limits. What else stands there is kept. */
function readLimits(fields: Fields, remarks: Remark[]): { turns: number | undefined; minutes: number | undefined } {
  const value = fields.take("runConfig");
  if (!isObject(value)) return { turns: undefined, minutes: undefined };
  const inner = fieldsOf(value, remarks);
  const limits = { turns: inner.whole("max_turns"), minutes: inner.count("max_time_minutes") };
  const { aside, remarks: others } = inner.aside();
  if (Object.keys(aside).length > 0) fields.keep("runConfig", aside);
  remarks.push(...others);
  return limits;
}

const MODE_WORDS: Readonly<Record<PermissionMode, string | undefined>> = {
  plan: "plan",
  denyUnasked: undefined, // nothing there denies without asking
  default: undefined,
  acceptEdits: "auto-edit",
  auto: "yolo",
};

function writeQwen(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "qwen");
  const { allow, deny } = rightsOf(definition.tools);
  const denied = theirDenied("qwen", deny, wordsIn(aside, "disallowedTools"));
  const older = isObject(aside["runConfig"]) ? aside["runConfig"] : {};
  const limits = inOrder({ max_time_minutes: definition.timeout_mins }, older);
  const fields = {
    name: nameToWrite(definition.name, aside),
    description: definition.description,
    model: writeModel(definition.model, aside, MODELS),
    approvalMode: MODE_WORDS[definition.permission_mode] ?? aside["approvalMode"],
    tools: allow === undefined ? undefined : theirAllowed("qwen", allow, wordsIn(aside, "tools")),
    disallowedTools: denied.length === 0 ? undefined : denied,
    maxTurns: definition.max_turns,
    background: definition.background ? true : undefined,
    mcpServers: serversToWrite(definition, aside["mcpServers"]),
    runConfig: Object.keys(limits).length === 0 ? undefined : limits,
  };
  return { file: `${definition.name}.md`, text: writeMarkdown(inOrder(fields, aside), definition.prompt) };
}
