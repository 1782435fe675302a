// Settings in layers: environment, the user's file, the project's file, defaults.
import { DEFAULT_SETTINGS, type Settings } from "../domain/limits.ts";
import { BASELINE } from "../domain/policy.ts";
import { invalidDefinition } from "../errors/index.ts";
import { Network, type Policy, type ToolRules, UserMcpServers } from "../schema/index.ts";
import { type ConfigFile, type ConfigPlace, projectFile, readConfigFile, userFile } from "./config-file.ts";
import { type AgentEntry, type Entries, type Entry, NOTHING, type Problem, shown } from "./entries.ts";
import { KEY_NAMES, keyOf, type KeyName } from "./keys.ts";
import type { ConfigValue } from "./kinds.ts";
import { readEnvironment } from "./read-environment.ts";

export type Source = "default" | "project" | "user" | "environment";

export interface Sourced {
  readonly value: ConfigValue;
  readonly source: Source;
  /** `file:line:column`, or the name of a variable. */
  readonly where: string | null;
}

export type Sources = Readonly<Record<KeyName, Sourced>>;

export interface LoadedConfig {
  readonly settings: Settings;
  /** What no agent may exceed. */
  readonly baseline: Policy;
  readonly personWithoutTerminal: boolean;
  readonly privateHosts: readonly string[];
  /** Folders outside of the project that agents may work in. */
  readonly workspaceRoots: readonly string[];
  readonly confinement: "off" | "best" | "required";
  /** Whether keys are kept from programs that can do without them. */
  readonly keyGateway: boolean;
  readonly mcpServers: UserMcpServers;
  /** As the user's file has it; whoever opens models reads it. */
  readonly models: Readonly<Record<"aliases" | "providers" | "prices" | "limits", ConfigValue>>;
  /** `agents.<name>`, the project's before the user's: the later one has the last word. */
  readonly overrides: readonly (AgentEntry & { readonly by: "project" | "user" })[];
  readonly sources: Sources;
  /** What was asked for and is not done, in words. */
  readonly warnings: readonly string[];
}

interface Layer extends Entries {
  readonly source: Source;
  /** May ask for more than the layers below it. */
  readonly mayWiden: boolean;
}

/** Set for everything that runs inside of an attempt: there, files and variables may be an agent's own. */
const ATTEMPT_VARIABLE = "CADRE_ATTEMPT";

export async function loadConfig(place: ConfigPlace): Promise<LoadedConfig> {
  const layers = await readLayers(place);
  const [first, ...others] = layers.flatMap(({ problems }) => problems);
  if (first !== undefined) throw broken(first, others);
  const warnings: string[] = [];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made of every key there is
  const sources = Object.fromEntries(KEY_NAMES.map((key) => [key, settle(key, layers, warnings)])) as Sources;
  const overrides = layers.flatMap(({ agents = [], mayWiden }) =>
    agents.map((entry) => ({ ...entry, by: mayWiden ? ("user" as const) : ("project" as const) })),
  );
  return {
    settings: settingsOf(sources),
    baseline: baselineOf(sources),
    ...personOf(sources),
    models: modelsOf(sources),
    privateHosts: listOf(sources["security.private_hosts"]),
    workspaceRoots: listOf(sources["security.workspace_roots"]),
    confinement: confinementOf(sources),
    keyGateway: sources["security.key_gateway"].value !== false,
    mcpServers: UserMcpServers.parse(sources["mcp.servers"].value),
    overrides,
    sources,
    warnings,
  };
}

async function readLayers(place: ConfigPlace): Promise<Layer[]> {
  const isInside = place.env[ATTEMPT_VARIABLE] !== undefined;
  const project = projectFile(place);
  return [
    { source: "project", mayWiden: false, ...(await readLayer(project)) },
    { source: "user", mayWiden: !isInside, ...(await readLayer(userFile(place))) },
    { source: "environment", mayWiden: !isInside, ...readEnvironment(place.env) },
  ];
}

async function readLayer(file: ConfigFile | null): Promise<Entries> {
  const text = file === null ? null : await readConfigFile(file);
  if (file === null || text === null || ONLY_COMMENTS.test(text)) return NOTHING;
  const { readConfigText } = await import("./read-text.ts"); // every command comes by here: YAML is loaded for a reason
  return readConfigText(text, file.path);
}

/** As `cadre init` writes it. */
const ONLY_COMMENTS = /^(?:[ \t]*(?:#.*)?\r?\n)*$/;

const broken = ({ where, what }: Problem, others: readonly Problem[]) => {
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return invalidDefinition(where, `${what}${more}`, "Correct it, then look again: cadre doctor");
};

/** From the lowest layer up; each takes the place of what is below it, and of what there was to say about that. */
function settle(key: KeyName, layers: readonly Layer[], warnings: string[]): Sourced {
  let settled: Sourced = { value: keyOf(key).fallback, source: "default", where: null };
  let warning: string | null = null;
  const ignored: string[] = [];
  for (const { source, mayWiden, entries } of layers) {
    const entry = entries.find((one) => one.key === key);
    if (entry === undefined) continue;
    if (keyOf(key).userOnly === true && !(source === "user" && mayWiden)) {
      ignored.push(`${entry.where}: "${key}" counts only in the user's own file`);
      continue;
    }
    if (keyOf(key).notProject === true && source === "project") {
      ignored.push(`${entry.where}: "${key}" does not count in a project's file`);
      continue;
    }
    const value =
      mayWiden && keyOf(key).kind.isAdditive !== true ? entry.value : meetOf(key, entry.value, settled.value);
    warning = !mayWiden && isWider(key, entry.value, settled.value) ? tooWide(entry, value) : null;
    settled = { value, source, where: entry.where };
  }
  warnings.push(...ignored.map((why) => `${why}; ${shown(settled.value)} stays`));
  if (warning !== null) warnings.push(warning);
  return settled;
}

const tooWide = ({ key, value, where }: Entry, used: ConfigValue): string =>
  `${where}: "${key}" may only be tightened here: ${shown(value)} was asked for, ${shown(used)} is used`;

const meetOf = (key: KeyName, wish: ConfigValue, below: ConfigValue): ConfigValue => keyOf(key).kind.meet(wish, below);

/** Whether something of the wish is lost where it may only tighten. */
export function isWider(key: KeyName, wish: ConfigValue, below: ConfigValue): boolean {
  // Met with itself, a wish is written in the same way as what is left of it.
  return sorted(meetOf(key, wish, below)) !== sorted(meetOf(key, wish, wish));
}

const sorted = (value: ConfigValue): string => JSON.stringify(Array.isArray(value) ? value.toSorted() : value);

const numberOf = (sources: Sources, key: KeyName): number => Number(sources[key].value);

function settingsOf(sources: Sources): Settings {
  return {
    ...DEFAULT_SETTINGS,
    maxConcurrent: numberOf(sources, "subagents.max_concurrent"),
    timeoutMs: numberOf(sources, "subagents.timeout_ms"),
    maxOutputKb: numberOf(sources, "subagents.max_output_kb"),
    rateLimitPerMin: numberOf(sources, "subagents.rate_limit_per_min"),
    maxHistory: numberOf(sources, "sessions.max_history"),
    collisions: collisionsOf(sources["workspaces.collisions"]),
    maxContextTokens: numberOf(sources, "sessions.max_context_tokens"),
    sessionExpiryDays: numberOf(sources, "sessions.expiry_days"),
    defaultBackend: textOf(sources["subagents.default_agent"]),
    defaultModel: textOf(sources["models.default"]),
    maxRuntimeMins: numberOf(sources, "security.subagent_permissions.max_runtime_mins"),
    inherits: inheritsIn(sources),
  };
}

const collisionsOf = ({ value }: Sourced): Settings["collisions"] =>
  value === "refuse" || value === "allow" ? value : "queue";

const textOf = ({ value }: Sourced): string | null => (typeof value === "string" ? value : null);

const listOf = ({ value }: Sourced): string[] => (Array.isArray(value) ? value : []);

const inheritsIn = (sources: Sources): boolean => sources["security.subagent_permissions.mode"].value === "inherit";

/** What a caller has whom nothing holds back. Variables are not among it: they may be secrets, and are named one by one. */
const EVERYWHERE = [".", "/"];

function baselineOf(sources: Sources): Policy {
  const isOpen = (key: KeyName): boolean => inheritsIn(sources) && sources[key].source === "default";
  const scopesOf = (key: KeyName): string[] => (isOpen(key) ? EVERYWHERE : listOf(sources[key]));
  const network = "security.subagent_permissions.network";
  const isAsked = sources["security.require_approval.tools"].value === true;
  return {
    ...BASELINE,
    tools: rulesOf(listOf(sources["permissions.ask"]), listOf(sources["permissions.deny"])),
    // A wildcard covers what a mode would ask about, and never gives the right to start agents.
    grants: [...listOf(sources["permissions.allow"]), ...(isAsked ? [] : ["*"])],
    fs: {
      read: scopesOf("security.subagent_permissions.fs.read"),
      write: scopesOf("security.subagent_permissions.fs.write"),
    },
    network: isOpen(network) || Network.parse(sources[network].value),
    env: { allow: listOf(sources["security.subagent_permissions.env.allow"]) },
    spawn: sources["security.require_approval.subagents"].value === true ? "ask" : "allow",
  };
}

const rulesOf = (ask: string[], deny: string[]): ToolRules[] =>
  ask.length + deny.length === 0 ? [] : [{ from: "settings", allow: null, ask, deny }];

/** Where models come from: from the user alone. */
const modelsOf = (sources: Sources): LoadedConfig["models"] => ({
  aliases: sources["models.aliases"].value,
  providers: sources["models.providers"].value,
  prices: sources["models.prices"].value,
  limits: sources["models.limits"].value,
});

/** What is not understood is the tightest. */
function confinementOf(sources: Sources): LoadedConfig["confinement"] {
  const { value } = sources["security.confinement"];
  return value === "off" || value === "best" ? value : "required";
}

const personOf = (sources: Sources): Pick<LoadedConfig, "personWithoutTerminal"> => ({
  personWithoutTerminal: sources["security.person_without_terminal"].value === true,
});
