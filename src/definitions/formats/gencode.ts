// GenCode: as Claude Code's files, in kebab-case, with a map for the tools. Its `dontAsk` allows everything.
import type { AgentDefinition, PermissionMode, ToolList } from "../../schema/index.ts";
import type { Format, Remark, Written } from "./format.ts";
import { asideOf, wordsIn } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { nameToWrite } from "./lenient/identity.ts";
import { isObject } from "./lenient/json-value.ts";
import { ourAllowed, ourDenied, theirAllowed, theirDenied } from "./lenient/map-tools.ts";
import { type ModelRules, readModel, writeModel } from "./lenient/models.ts";
import { readMode } from "./lenient/modes.ts";

import { type MarkdownAgents, readAgentMarkdown } from "./lenient/read-agent-markdown.ts";
import { narrowerMode, rightsOf, toolListOf, workspaceFor } from "./lenient/rights.ts";
import { repaired } from "./lenient/settings.ts";
import { inOrder, writeMarkdown } from "./lenient/write-markdown.ts";

const KEYS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "model",
  "permission-mode",
  "max-turns",
  "tools",
  "permissionMode",
  "maxTurns",
]);

const MODES: Readonly<Record<string, PermissionMode>> = {
  plan: "plan",
  default: "default",
  acceptEdits: "acceptEdits",
  dontAsk: "auto",
};

/** Claude Code's spelling is read too, and with Claude Code's meaning. */
const CLAUDE_MODES: Readonly<Record<string, PermissionMode>> = { ...MODES, dontAsk: "denyUnasked" };

const MODELS: ModelRules = { providers: ["anthropic"], takesClaudeAliases: true };

export const gencode: Format = {
  id: "gencode",
  label: "GenCode",
  places: [
    { of: "project", path: ".gen/agents", endings: [".md"] },
    { of: "user", path: ".gen/agents", endings: [".md"] },
  ],
  read: (file) => readAgentMarkdown(file, AGENTS),
  write: (definition) => writeGencode(definition),
};

const AGENTS: MarkdownAgents = {
  id: "gencode",
  program: "GenCode",
  keys: KEYS,
  meaning(fields, remarks) {
    const tools = readTools(fields, remarks);
    const permission_mode = readModes(fields, remarks);
    return {
      tools,
      permission_mode,
      model: readModel(fields, MODELS),
      max_turns: fields.whole("max-turns") ?? fields.whole("maxTurns"),
      workspace: workspaceFor(tools, permission_mode),
    };
  },
};

function readModes(fields: Fields, remarks: Remark[]): PermissionMode {
  const own = readMode(fields, "permission-mode", MODES, remarks);
  const other = readMode(fields, "permissionMode", CLAUDE_MODES, remarks);
  return own !== undefined && other !== undefined ? narrowerMode(own, other) : (own ?? other ?? "default");
}

/** `{mode, allow, deny}`. What is denied is denied in either mode. */
function readTools(fields: Fields, remarks: Remark[]): ToolList | undefined {
  const value = fields.take("tools");
  const isMap = isObject(value) && ["mode", "allow", "deny"].some((key) => Object.hasOwn(value, key));
  const { allowed, denied } = isMap ? readMap(fieldsOf(value, remarks)) : readPlain(fields, remarks);
  const allow = allowed === undefined ? undefined : ourAllowed("gencode", allowed);
  const deny = ourDenied("gencode", denied);
  remarks.push(...(allow?.remarks ?? []), ...deny.remarks);
  const aside = [...(allow?.aside ?? []), ...deny.aside];
  if (aside.length > 0) fields.keep("tools", aside);
  return toolListOf(allow?.tools, deny.tools);
}

interface Words {
  readonly allowed: readonly string[] | undefined;
  readonly denied: readonly string[];
}

function readMap(tools: Fields): Words {
  const mode = tools.text("mode");
  const allowed = tools.tools("allow")?.allowed ?? (mode === "allowlist" ? [] : undefined);
  return { allowed: mode === "denylist" ? undefined : allowed, denied: tools.denied("deny") };
}

/** A list without a mode is one of what is allowed. */
function readPlain(fields: Fields, remarks: Remark[]): Words {
  const words = fields.tools("tools");
  if (words === undefined) return { allowed: undefined, denied: [] };
  remarks.push(repaired("tools", "it is no map with a mode; read as a list of what is allowed"));
  return words;
}

const MODE_WORDS: Readonly<Record<PermissionMode, string | undefined>> = {
  plan: "plan",
  denyUnasked: undefined, // nothing there denies without asking
  default: undefined,
  acceptEdits: "acceptEdits",
  auto: "dontAsk",
};

function writeGencode(definition: AgentDefinition): Written {
  const aside = asideOf(definition, "gencode");
  const { allow, deny } = rightsOf(definition.tools);
  const words = wordsIn(aside, "tools");
  const fields = {
    name: nameToWrite(definition.name, aside),
    description: definition.description,
    model: writeModel(definition.model, aside, MODELS),
    "permission-mode": MODE_WORDS[definition.permission_mode] ?? aside["permission-mode"],
    "max-turns": definition.max_turns,
    tools:
      allow !== undefined
        ? {
            mode: "allowlist",
            allow: theirAllowed(
              "gencode",
              allow.filter((rule) => !deny.includes(rule)),
              words,
            ),
          }
        : deny.length > 0
          ? { mode: "denylist", deny: theirDenied("gencode", deny, words) }
          : undefined,
  };
  return { file: `${definition.name}.md`, text: writeMarkdown(inOrder(fields, aside), definition.prompt) };
}
