// OpenAI Codex: a role in TOML, or a table `[agents.<name>]` of config.toml. Of a role's settings Codex heeds only a
// few: it passes over `sandbox_mode`, `approval_policy` and `mcp_servers`, and has no list of tools at all.
import { stringify } from "smol-toml";
import type { AgentDefinition, Json, JsonObject, ToolList } from "../../schema/index.ts";
import type { ForeignFile, Format, Reading, Remark, Written } from "./format.ts";
import { asideOf, buildReading, refuse } from "./lenient/build-reading.ts";
import { type Fields, fieldsOf } from "./lenient/fields.ts";
import { nameToWrite, readIdentity } from "./lenient/identity.ts";
import { isObject } from "./lenient/json-value.ts";
import { modelFor } from "./lenient/models.ts";
import { readEffort } from "./lenient/modes.ts";
import { fileStem } from "./lenient/names.ts";
import { parseToml } from "./lenient/parse-data.ts";
import { rightsOf, workspaceFor } from "./lenient/rights.ts";
import { mapped, narrowed } from "./lenient/settings.ts";
import { inOrder } from "./lenient/write-markdown.ts";
import { PLACES } from "./places.ts";

/** A role's own, and those of config.toml, any of which may stand in it. */
const KEYS: ReadonlySet<string> = new Set(
  `name description developer_instructions nickname_candidates config_file base_url
  agents allow_login_shell analytics approval_policy approvals_reviewer apps apps_mcp_product_sku audio auto_review
  background_terminal_max_timeout browser_use chatgpt_base_url check_for_update_on_startup cli_auth_credentials_store
  compact_prompt computer_use default_permissions desktop disable_paste_burst experimental_compact_prompt_file
  experimental_realtime_start_instructions experimental_realtime_webrtc_call_base_url
  experimental_realtime_ws_backend_prompt experimental_realtime_ws_base_url experimental_realtime_ws_model
  experimental_realtime_ws_startup_context experimental_thread_store experimental_use_unified_exec_tool features feedback
  file_opener forced_chatgpt_workspace_id forced_login_method ghost_snapshot goals hide_agent_reasoning history hooks
  include_apps_instructions include_collaboration_mode_instructions include_environment_context
  include_permissions_instructions instructions log_dir marketplaces mcp_oauth_callback_port mcp_oauth_callback_url
  mcp_oauth_credentials_store mcp_servers memories model model_auto_compact_token_limit
  model_auto_compact_token_limit_scope model_catalog_json model_context_window model_instructions_file model_provider
  model_providers model_reasoning_effort model_reasoning_summary model_verbosity notice notify openai_base_url
  orchestrator oss_provider otel permissions personality plan_mode_reasoning_effort plugins profile profiles
  project_doc_fallback_filenames project_doc_max_bytes project_root_markers projects realtime responses_api_metadata
  review_model sandbox_mode sandbox_workspace_write service_tier shell_environment_policy show_raw_agent_reasoning skills
  sqlite_home suppress_unstable_features_warning tool_output_token_limit tool_suggest tools tui web_search windows`.split(
    /\s+/,
  ),
);

export const codex: Format = {
  id: "codex",
  label: "Codex",
  places: PLACES.codex,
  read: readCodex,
  write: writeCodex,
};

function readCodex(file: ForeignFile): readonly Reading[] {
  const toml = parseToml(file.text);
  if (!toml.ok) return [refuse(toml.problem)];
  const isConfig = toml.value["developer_instructions"] === undefined && toml.value["name"] === undefined;
  if (!isConfig) return [readRole(toml.value, fileStem(file.below, [".toml"]))];
  const { agents } = toml.value;
  if (agents === undefined) {
    const isRole = !/(?:^|\/)config\.toml$/i.test(file.below);
    return isRole ? [refuse("it has no name and no developer_instructions, so Codex does not take it")] : [];
  }
  if (!isObject(agents)) return [refuse("agents is not a table of agents")];
  // Beside the roles stand settings for all of them, such as `max_threads`.
  return Object.entries(agents).flatMap(([name, role]) => (isObject(role) ? readTable(name, role) : []));
}

/** Most tables name a file of `agents/`, which is found there by itself. */
function readTable(name: string, role: JsonObject): Reading[] {
  const { config_file: file, ...rest } = role;
  if (rest["developer_instructions"] !== undefined) return [readRole({ ...role, name }, name)];
  if (typeof file !== "string") return rest["description"] === undefined ? [] : [readRole({ ...role, name }, name)];
  const isFoundThere = /^(?:\.\/)?agents\/[^.]/.test(file) && !file.includes("..");
  return isFoundThere ? [] : [refuse(`${name}: its instructions are in another file, ${file}, which is not read`)];
}

function readRole(settings: JsonObject, stem: string): Reading {
  const remarks: Remark[] = [];
  const fields = fieldsOf(settings, remarks, KEYS);
  const identity = readIdentity(fields, remarks, { program: "Codex", stem });
  if (!identity.ok) return refuse(identity.problem);
  const { name, display_name, description } = identity;
  const prompt = fields.text("developer_instructions");
  if (prompt === undefined) return refuse(`${name}: it has no developer_instructions, so Codex does not take it`);
  const isReadOnly = readSandbox(fields, remarks);
  const tools = isReadOnly ? [...READING] : readFeatures(fields);
  const permission_mode = isReadOnly ? ("plan" as const) : ("default" as const);
  const draft = {
    name,
    display_name,
    description,
    prompt,
    model: readModel(fields),
    effort: readEffort(fields, "model_reasoning_effort", remarks),
    tools,
    permission_mode,
    workspace: workspaceFor(tools, permission_mode),
  };
  const { aside, remarks: others } = fields.aside();
  return buildReading("codex", draft, aside, [...remarks, ...others]);
}

const READING = ["Read", "Glob", "Grep", "List"] as const;

/**
 * Codex does not keep a role to its sandbox. Its author wished for one, so it holds here. It is not kept aside:
 * written back, it would only look like a restriction.
 */
function readSandbox(fields: Fields, remarks: Remark[]): boolean {
  const sandbox = fields.text("sandbox_mode");
  if (sandbox === undefined) return false;
  const isReadOnly = sandbox !== "workspace-write" && sandbox !== "danger-full-access";
  const message = isReadOnly
    ? "Codex does not keep a role to its sandbox; here the agent only reads"
    : "Codex gives a role no other sandbox; here every write and command is asked";
  remarks.push((isReadOnly ? narrowed : mapped)("sandbox_mode", message));
  return isReadOnly;
}

/** One of the few that Codex heeds: a role without a shell. */
function readFeatures(fields: Fields): ToolList | undefined {
  const features = fields.take("features");
  if (features !== undefined) fields.keep("features", features);
  const hasNoShell = isObject(features) && features["shell_tool"] === false;
  return hasNoShell ? { mode: "denylist", allow: [], ask: [], deny: ["Bash"] } : undefined;
}

/** Bare names are OpenAI's, whatever `model_provider` says: a role cannot change that. */
function readModel(fields: Fields): string | undefined {
  const model = fields.text("model");
  return model === undefined || model.includes("/") ? model : `openai/${model}`;
}

function writeCodex(definition: AgentDefinition): Written {
  const { features, ...aside } = asideOf(definition, "codex");
  const { deny } = rightsOf(definition.tools);
  const others = isObject(features) ? Object.entries(features).filter(([key]) => key !== "shell_tool") : [];
  const shell = deny.includes("Bash") || deny.includes("*") ? [["shell_tool", false] as const] : [];
  const role = inOrder(
    {
      name: nameToWrite(definition.name, aside),
      description: definition.description,
      model: modelFor(definition.model, { providers: ["openai"] }),
      model_reasoning_effort: definition.effort ?? aside["model_reasoning_effort"],
      developer_instructions: definition.prompt,
      sandbox_mode: undefined,
      features: others.length + shell.length === 0 ? undefined : Object.fromEntries([...others, ...shell]),
    },
    aside,
  );
  return { file: `${definition.name}.toml`, text: writeToml(role) };
}

/** A prompt of several lines as several lines. What follows a table's head belongs to it, so tables come last. */
function writeToml(role: JsonObject): string {
  const entries = Object.entries(role).filter(([, value]) => value !== null);
  const lines = entries
    .filter(([, value]) => !isTable(value))
    .map(([key, value]) =>
      key === "developer_instructions" && typeof value === "string" && value.includes("\n")
        ? `${key} = """\n${value.replaceAll(/[\\"]|[^\P{Cc}\n\t]/gu, escaped)}"""`
        : stringify({ [key]: withoutNulls(value) }).trimEnd(),
    );
  const tables = Object.fromEntries(entries.filter(([, value]) => isTable(value)));
  return `${[...lines, stringify(withoutNulls(tables)).trimEnd()].join("\n").trimEnd()}\n`;
}

const isTable = (value: Json): boolean => isObject(value) || (Array.isArray(value) && value.some(isObject));

const escaped = (sign: string): string =>
  /[\\"]/.test(sign) ? `\\${sign}` : `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** TOML has no null. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}
