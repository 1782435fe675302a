// Claude Code: Markdown whose body is the system prompt. It skips a file without a name or a description in silence;
// here that is a problem that is shown. A file with a heading and no front matter loads, and says so.
import type { AgentDefinition, JsonObject, PermissionMode, ToolList } from "../../schema/index.ts";
import { toolsCalled } from "../../domain/tool-names.ts";
import type { Format, Remark, Written } from "./format.ts";
import { asideOf, wordsIn } from "./lenient/build-reading.ts";
import type { Fields } from "./lenient/fields.ts";
import { nameToWrite } from "./lenient/identity.ts";
import { readServers, serversToWrite } from "./lenient/mcp-servers.ts";
import { ourAllowed, ourDenied, theirAllowed, theirDenied } from "./lenient/map-tools.ts";
import { type ModelRules, readModel, writeModel } from "./lenient/models.ts";
import { capByHooks, readEffort, readMode } from "./lenient/modes.ts";

import { type MarkdownAgents, readAgentMarkdown } from "./lenient/read-agent-markdown.ts";
import { isGiven, rightsOf, toolListOf, workspaceFor } from "./lenient/rights.ts";
import { kept, mapped, narrowed } from "./lenient/settings.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";

const KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "tools",
  "disallowedTools",
  "model",
  "permissionMode",
  "maxTurns",
  "skills",
  "mcpServers",
  "hooks",
  "memory",
  "background",
  "effort",
  "isolation",
  "color",
  "initialPrompt",
]);

const MODES: Readonly<Record<string, PermissionMode>> = {
  default: "default",
  manual: "default",
  acceptEdits: "acceptEdits",
  plan: "plan",
  dontAsk: "denyUnasked",
  bypassPermissions: "auto",
};

const MODELS: ModelRules = { providers: ["anthropic"], takesClaudeAliases: true };

export const claude: Format = {
  id: "claude",
  label: "Claude Code",
  places: [
    { of: "project", path: ".claude/agents", isRecursive: true, endings: [".md"] },
    { of: "user", path: ".claude/agents", isRecursive: true, endings: [".md"] },
  ],
  read: (file) => readAgentMarkdown(file, AGENTS),
  write: (definition) => writeClaude(definition),
};

const AGENTS: MarkdownAgents = {
  id: "claude",
  program: "Claude Code",
  keys: KEYS,
  takesHeadings: true,
  meaning(fields, remarks, { isHeading }) {
    const tools = readTools(fields, isHeading, remarks);
    const permission_mode = readClaudeMode(fields, remarks);
    return {
      tools,
      permission_mode,
      model: readModel(fields, MODELS),
      max_turns: fields.whole("maxTurns"),
      effort: readEffort(fields, "effort", remarks),
      background: fields.flag("background"),
      mcp_servers: readServers(fields, "mcpServers", remarks),
      memory: readMemory(fields, tools, remarks),
      workspace: isIsolated(fields, remarks)
        ? { mode: "worktree", allow_writes: true }
        : workspaceFor(tools, permission_mode),
    };
  },
};

/** A heading file is written for any program: its tools may have the names that others use. */
function readTools(fields: Fields, isForAny: boolean, remarks: Remark[]): ToolList | undefined {
  const words = fields.tools("tools");
  const names = words?.allowed.map((word) => (isForAny ? claudeName(word) : word));
  const allow = names === undefined ? undefined : ourAllowed("claude", names);
  const deny = ourDenied("claude", [...fields.denied("disallowedTools"), ...(words?.denied ?? [])], "disallowedTools");
  remarks.push(...(allow?.remarks ?? []), ...deny.remarks);
  if (allow !== undefined && allow.aside.length > 0) fields.keep("tools", [...allow.aside]);
  if (deny.aside.length > 0) fields.keep("disallowedTools", [...deny.aside]);
  return toolListOf(allow?.tools, deny.tools);
}

const claudeName = (word: string): string =>
  toolsCalled("claude", word) === undefined ? (toolsCalled("glee", word)?.[0] ?? word) : word;

/** In `auto` a model decides what is asked; here a person is asked for everything. */
function readClaudeMode(fields: Fields, remarks: Remark[]): PermissionMode {
  if (fields.text("permissionMode") === "auto") {
    remarks.push(narrowed("permissionMode", "auto lets a model decide what is asked; here every write and command is"));
    fields.keep("permissionMode", "auto");
    return capByHooks(fields, "permissionMode", "default", remarks);
  }
  const mode = readMode(fields, "permissionMode", MODES, remarks) ?? "default";
  return capByHooks(fields, "permissionMode", mode, remarks);
}

/** A memory brings Read, Write and Edit with it there. Here it brings nothing. */
const bringsNothing = (tools: ToolList | undefined): boolean =>
  ["Read", "Write", "Edit"].every((tool) => isGiven(tools, tool));

function readMemory(fields: Fields, tools: ToolList | undefined, remarks: Remark[]): "project" | "user" | undefined {
  const word = fields.text("memory");
  if (word === undefined) return undefined;
  const isKnown = word === "project" || word === "user" || word === "local";
  if (word !== "user" || !bringsNothing(tools)) fields.keep("memory", word);
  if (!isKnown) remarks.push(kept("memory", `${word} is no memory that is known`));
  else if (!bringsNothing(tools))
    remarks.push(narrowed("memory", "it brings Read, Write and Edit there, and not here"));
  if (word === "local") remarks.push(mapped("memory", "local is project"));
  return isKnown ? (word === "user" ? "user" : "project") : undefined;
}

function isIsolated(fields: Fields, remarks: Remark[]): boolean {
  const word = fields.take("isolation");
  if (word === undefined || word === "worktree") return word === "worktree";
  remarks.push(kept("isolation", "it is not worktree, and is not used"));
  fields.keep("isolation", word);
  return false;
}

const MODE_WORDS: Readonly<Record<PermissionMode, string | undefined>> = {
  plan: "plan",
  denyUnasked: "dontAsk",
  default: undefined, // the same as saying nothing
  acceptEdits: "acceptEdits",
  auto: "bypassPermissions",
};

function writeClaude(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "claude");
  const { allow, deny } = rightsOf(definition.tools);
  const tools = allow === undefined ? undefined : theirAllowed("claude", allow, wordsIn(aside, "tools"));
  const denied = theirDenied("claude", deny, wordsIn(aside, "disallowedTools"));
  const fields = {
    name: nameToWrite(definition.name, aside),
    description: definition.description,
    tools: tools === undefined ? undefined : asList(tools),
    disallowedTools: denied.length === 0 ? undefined : asList(denied),
    model: writeModel(definition.model, aside, MODELS),
    permissionMode: MODE_WORDS[definition.permission_mode] ?? aside["permissionMode"],
    maxTurns: definition.max_turns,
    effort: definition.effort ?? aside["effort"],
    background: definition.background ? true : undefined,
    mcpServers: serversToWrite(definition, aside["mcpServers"]),
    memory: memoryToWrite(definition, aside),
    isolation: definition.workspace.mode === "worktree" ? "worktree" : aside["isolation"],
  };
  return { file: `${definition.name}.md`, text: writeMarkdown(inOrder(fields, aside), definition.prompt) };
}

/** A text with commas is what people write; a list where there is none, or where it could not be told apart. */
const asList = (words: readonly string[]): string | string[] =>
  words.length > 0 && words.every((word) => /^[\w*.:-]+$/.test(word)) ? words.join(", ") : [...words];

function memoryToWrite({ memory, tools }: AgentDefinition, aside: JsonObject): string | undefined {
  const before = aside["memory"];
  if (typeof before === "string" && (before === memory || memory === "project")) return before;
  return memory === "user" && bringsNothing(tools) ? memory : undefined;
}
