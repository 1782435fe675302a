// Every setting there is. A key stands here only once it does something.
import { nearest } from "../domain/nearest.ts";
import { DEFAULT_SETTINGS } from "../domain/limits.ts";
import { BASELINE } from "../domain/policy.ts";
import { invalidInput } from "../errors/index.ts";
import {
  ALLOWED,
  COLLISIONS,
  CONFINEMENT,
  type ConfigValue,
  COUNT,
  HOSTS,
  type Kind,
  MAP,
  MCP_SERVERS,
  MINUTES,
  NAMES,
  PATHS,
  RESTRICTED,
  SAFEGUARD,
  STOPPED,
  SWITCH,
  TEXT,
  VARIABLES,
} from "./kinds.ts";

export interface ConfigKey {
  readonly kind: Kind;
  /** What holds while nobody says anything. */
  readonly fallback: ConfigValue;
  /** One sentence, for people. */
  readonly summary: string;
  /** Only the user's own file may say it. */
  readonly userOnly?: true;
  /** A project's file may not say it. */
  readonly notProject?: true;
}

export const KEYS = {
  "subagents.max_concurrent": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.maxConcurrent,
    summary: "How many attempts compute at the same time, over all processes",
  },
  "subagents.timeout_ms": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.timeoutMs,
    summary: "How long a task may take where neither its caller nor its agent says",
  },
  "subagents.max_output_kb": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.maxOutputKb,
    summary: "How long an answer may be where its agent does not say",
  },
  "subagents.rate_limit_per_min": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.rateLimitPerMin,
    summary: "How many attempts may start within a minute",
  },
  "subagents.default_agent": {
    kind: TEXT,
    fallback: DEFAULT_SETTINGS.defaultBackend,
    summary: "Where tasks run that name no agent: a backend, such as codex. Without it, by what their words sound like",
    notProject: true,
  },
  "sessions.max_history": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.maxHistory,
    summary: "How many messages of a session are put before an agent that goes on with it",
  },
  "sessions.max_context_tokens": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.maxContextTokens,
    summary: "How many tokens those messages may have together, about; the oldest are left out",
  },
  "sessions.expiry_days": {
    kind: COUNT,
    fallback: DEFAULT_SETTINGS.sessionExpiryDays,
    summary: "How many days a session is kept after it was last used",
  },
  "workspaces.collisions": {
    kind: COLLISIONS,
    fallback: DEFAULT_SETTINGS.collisions,
    summary: "What becomes of a task that would write where another one does: queue, refuse, or allow both at once",
  },
  "models.default": {
    kind: TEXT,
    fallback: DEFAULT_SETTINGS.defaultModel,
    summary: "What agents run on that name no model of their own: provider/model, or an alias",
    notProject: true,
  },
  "models.aliases": {
    kind: MAP,
    fallback: {},
    summary: "Names of your own for models: alias to provider/model",
    userOnly: true,
  },
  "models.providers": {
    kind: MAP,
    fallback: {},
    summary: "Endpoints that speak OpenAI's Chat Completions: name to base_url and the variable of the key",
    userOnly: true,
  },
  "models.prices": {
    kind: MAP,
    fallback: {},
    summary: "Prices in USD per million tokens: model to input, output, cache_read, cache_write",
    userOnly: true,
  },
  "models.limits": {
    kind: MAP,
    fallback: {},
    summary: "What a model takes and writes: model to context_tokens, max_output_tokens",
    userOnly: true,
  },
  "mcp.servers": {
    kind: MCP_SERVERS,
    fallback: {},
    summary: "MCP servers of your own, which agents may name: name to command, args, env, or to url, headers",
    userOnly: true,
  },
  "permissions.allow": {
    kind: ALLOWED,
    fallback: [],
    summary: "What agents may do without being asked, where their mode would ask",
    notProject: true,
  },
  "permissions.ask": {
    kind: STOPPED,
    fallback: [],
    summary: "What is asked of a person whatever an agent's mode says",
  },
  "permissions.deny": {
    kind: STOPPED,
    fallback: [],
    summary: "What no agent may do",
  },
  "security.require_approval.subagents": {
    kind: SAFEGUARD,
    fallback: true,
    summary: "Whether a person is asked before an agent starts another one that no rule allows it",
  },
  "security.require_approval.tools": {
    kind: SAFEGUARD,
    fallback: true,
    summary: "Whether a person is asked where an agent's mode asks; false lets all of that through",
  },
  "security.subagent_permissions.mode": {
    kind: RESTRICTED,
    fallback: "restricted",
    summary: "What agents have that say nothing: restricted is the baseline, inherit is what their caller has",
    notProject: true,
  },
  "security.subagent_permissions.fs.read": {
    kind: PATHS,
    fallback: BASELINE.fs.read,
    summary: "What agents may read at the most, relative to the project or absolute",
  },
  "security.subagent_permissions.fs.write": {
    kind: PATHS,
    fallback: BASELINE.fs.write,
    summary: "What agents may write at the most, where they may write at all",
  },
  "security.subagent_permissions.network": {
    kind: HOSTS,
    fallback: BASELINE.network,
    summary: "Which hosts agents may reach at the most: true for all, false for none",
  },
  "security.subagent_permissions.env.allow": {
    kind: VARIABLES,
    fallback: BASELINE.env.allow,
    summary: "Which variables of the environment agents may see at the most",
  },
  "security.subagent_permissions.max_runtime_mins": {
    kind: MINUTES,
    fallback: DEFAULT_SETTINGS.maxRuntimeMins,
    summary: "No task runs longer, whatever its agent or its caller says",
  },
  "security.key_gateway": {
    kind: SAFEGUARD,
    fallback: true,
    summary: "Whether coding CLIs that are confined get a stand-in for their key, where that can be done",
  },
  "security.confinement": {
    kind: CONFINEMENT,
    fallback: "best",
    summary: "Whether programs run where the operating system cannot confine them: best says so, required refuses",
  },
  "security.workspace_roots": {
    kind: PATHS,
    fallback: [],
    summary: "Folders outside of the project that agents may work in, by workspace.path",
    userOnly: true,
  },
  "security.private_hosts": {
    kind: NAMES,
    fallback: [],
    summary: "Hosts that web tools may reach although they lie on this machine or in its network",
    userOnly: true,
  },
  "security.host_approvals": {
    kind: SWITCH,
    fallback: true,
    summary: "Whether a program that calls by MCP may ask its own user what the tasks that it has started want to know",
  },
  "security.serve_hosts": {
    kind: NAMES,
    fallback: [],
    summary: "Addresses beside loopback that cadre serve may listen on, and names that it answers to",
    userOnly: true,
  },
  "security.person_without_terminal": {
    kind: SWITCH,
    fallback: false,
    summary: "Whether a person's decisions may be made without a terminal",
    userOnly: true,
  },
} as const satisfies Readonly<Record<string, ConfigKey>>;

export type KeyName = keyof typeof KEYS;

export const isKey = (name: string): name is KeyName => Object.hasOwn(KEYS, name);
export const KEY_NAMES: readonly KeyName[] = Object.keys(KEYS).filter(isKey);
export const keyOf = (name: KeyName): ConfigKey => KEYS[name];

/** Why a name that is no key cannot be used. `parent` is the section that it was found in. */
export function complaint(path: string, parent = ""): string {
  const written = path.slice(parent.length);
  const meant = nearest(written, childrenOf(parent)) ?? elsewhere(written) ?? nearest(path, KEY_NAMES);
  return `unknown key ${JSON.stringify(written)}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

/** The same word as the end of a key: somebody has left out the way to it. */
const elsewhere = (written: string): string | undefined => KEY_NAMES.find((name) => name.endsWith(`.${written}`));

/** What may stand directly below a section, itself written with its dot; `""` is the top. */
export const childrenOf = (section: string): string[] => [
  ...new Set(
    KEY_NAMES.filter((name) => name.startsWith(section)).map((name) => name.slice(section.length).split(".")[0] ?? ""),
  ),
];

export const isSection = (path: string): boolean => KEY_NAMES.some((name) => name.startsWith(`${path}.`));

/** The key that a caller names, or an error that says what is wrong with the name. */
export function knownKey(name: string): KeyName {
  if (isKey(name)) return name;
  const what = isSection(name) ? `"${name}" is a group of settings, not one` : complaint(name);
  throw invalidInput(what, { hint: "List all of them: cadre config list", facts: { key: name } });
}
