// Cadre's own loop, wired: models, tools, and what is put before an agent. Loaded when something runs on it.
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ContextPiece } from "../domain/envelopes.ts";
import type { Settings } from "../domain/limits.ts";
import { CadreError } from "../errors/index.ts";
import type { LoopParts } from "../loop/index.ts";
import { type Models, openModels, readModelSettings } from "../models/index.ts";
import { tapeModel } from "../models/tape/tape-model.ts";
import { OPERATIONS } from "../operations/index.ts";
import { readConfined, writeConfined } from "../platform/confined-files.ts";
import { findRipgrep } from "../platform/find-ripgrep.ts";
import type {
  Attempt,
  Conversion,
  Memory,
  Model,
  Obstacle,
  Registry,
  Toolbox,
  ToolShelf,
  Trust,
} from "../ports/index.ts";
import type { CallId, ModelUsage, TaskSpec, UserMcpServers } from "../schema/index.ts";
import { builtInTools } from "../tools/built-in-tools.ts";
import { creationTools } from "../tools/creation/creation-tools.ts";
import { knownTools } from "../tools/mcp/known-tools.ts";
import { loginFile } from "../tools/mcp/login/login-file.ts";
import { mcpTools } from "../tools/mcp/mcp-tools.ts";
import type { ToolLayer } from "../tools/manifest/tool-folders.ts";
import type { ModelsFound } from "./cadre.ts";
import { projectRules } from "./project-rules.ts";
import { clock, mint } from "./system.ts";
import { packageVersion } from "./version.ts";

export interface NativeOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly project: string;
  readonly userHome: string;
  readonly registry: Registry;
  readonly trust: Trust;
  readonly memory: Memory;
  readonly toolLayers: readonly ToolLayer[];
  /** From the user's own config, as it stands there. */
  readonly models: unknown;
  readonly settings: Pick<Settings, "graceMs">;
  /** Hosts that web tools may reach although they are near. */
  readonly privateHosts: readonly string[];
  /** Of the user's own, which agents may name. */
  readonly mcpServers: UserMcpServers;
  readonly conversion: () => Promise<Conversion>;
  readonly tools: () => Promise<ToolShelf>;
  /** From whoever embeds Cadre. */
  readonly toolboxes: readonly Toolbox[];
}

/** What the loop needs, and what others ask of models. */
export interface OpenedLoop extends LoopParts {
  /** In millionths of a US dollar; `null` where nobody knows. */
  priceOf(model: string, usage: ModelUsage): Promise<number | null>;
  /** The tools of an agent's MCP servers, for agents that run elsewhere. */
  readonly servers: Toolbox;
}

export async function openLoopParts(options: NativeOptions): Promise<OpenedLoop> {
  const { env, home, registry, trust, memory, settings, toolboxes } = options;
  const modelSettings = readModelSettings(options.models);
  const models = openModels({ env, settings: modelSettings, clock });
  const credentials = { value: async (name: string) => env[name] };
  const mcp = {
    clock,
    mint,
    credentials,
    privateHosts: options.privateHosts,
    mcpServers: options.mcpServers,
    knownTools: knownTools(join(options.userHome, ".cadre"), clock),
    logins: loginFile(join(options.userHome, ".cadre"), clock),
    project: options.project,
    version: packageVersion(),
  };
  return {
    openModel: (spec) => modelOf(models, spec),
    servers: mcpTools(mcp),
    priceOf: async (model, usage) => {
      const facts = await models.facts(model).catch(() => null);
      return facts?.priceOf(usage)?.microUsd ?? null;
    },
    secretsFor: async ({ definition, model }) =>
      definition.tape !== undefined || model === null ? [] : models.needs(model).found,
    obstacle: (spec, isMoneyLimited) => obstacleOf(models, spec, isMoneyLimited),
    toolbox: builtInTools(
      {
        clock,
        mint,
        home,
        registry,
        memory,
        trust,
        privateHosts: options.privateHosts,
        ripgrep: await findRipgrep(),
        credentials,
        layers: options.toolLayers,
      },
      [...toolboxes, mcpTools(mcp), creationTools({ clock, conversion: options.conversion, tools: options.tools })],
    ),
    registry,
    contextFor: (attempt) => contextFor(attempt, options),
    keepWhole,
    wholeAt,
    planOf,
    problemsOf: async (schema, value) =>
      (await import("../gates/output-schema/check-output.ts")).problemsOf(schema, value),
    clock,
    mint,
    platform: process.platform,
    settings,
  };
}

/** What there is of models, without asking any of them. */
export function modelsFound(models: unknown, env: NativeOptions["env"], wanted: string | null): ModelsFound {
  const opened = openModels({ env, settings: readModelSettings(models), clock });
  const providers = opened.providers.map((name) => {
    const any = `${name}/any`;
    const { anyOf, isMet } = opened.needs(any);
    // Where nobody is asked, it does not matter at which address.
    return { name, variables: anyOf, isMet, obstacle: isMet ? obstacleIn(() => opened.check(any)) : null };
  });
  return { default: wanted, obstacle: wanted === null ? null : obstacleIn(() => opened.check(wanted)), providers };
}

const TAPE = "tape";

async function modelOf(models: Models, { definition, model }: TaskSpec): Promise<Model> {
  if (definition.tape !== undefined) return tapeModel(definition, definition.tape);
  return models.open(model ?? "");
}

async function obstacleOf(models: Models, spec: TaskSpec, isMoneyLimited: boolean): Promise<Obstacle | null> {
  const { definition, model } = spec;
  if (definition.tape !== undefined) return null;
  if (model === null || model === TAPE) {
    return {
      message: `"${definition.name}" names no model, and there is no default`,
      hint: "Set a key, such as ANTHROPIC_API_KEY, or name a model: --model, or cadre config set models.default",
    };
  }
  const obstacle = obstacleIn(() => models.check(model));
  if (obstacle !== null || !isMoneyLimited) return obstacle;
  const facts = await models.facts(model);
  const one = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  if (facts.priceOf(one) !== null) return null;
  return {
    message: `nobody knows what ${models.resolve(model)} costs, and money is limited here`,
    hint: "Say what it costs in models.prices of your own config, or leave the budget in dollars out.",
  };
}

function obstacleIn(look: () => void): Obstacle | null {
  try {
    look();
    return null;
  } catch (error) {
    if (!CadreError.isInstance(error)) throw error;
    return { message: error.message, hint: error.hint ?? "cadre doctor lists what there is" };
  }
}

const MAX_MEMORIES = 4_000;

/** The project's own rules, and what was remembered. Trusted only as far as the folder is. */
async function contextFor(
  { task, workspace }: Attempt,
  { project, trust, memory, registry }: NativeOptions,
): Promise<ContextPiece[]> {
  const isTrusted = await trust.isTrusted(project);
  const { base, root } = workspace;
  // A tree of its own is made from the project; a custom folder is one that trust has to be given to by itself.
  const isOwn = task.spec.workspace.mode === "custom" ? await trust.isTrusted(base) : isTrusted;
  const rules = await projectRules({ base, root, isTrusted: isOwn });
  const wish = task.spec.definition.memory;
  const scopes =
    wish === "none" || !isTrusted ? [] : wish === "user" ? (["user", "project"] as const) : (["project"] as const);
  const query = task.spec.prompt.slice(0, MAX_MEMORIES);
  const remembered = scopes.length === 0 ? "" : await memory.relevant({ query, scopes, maxChars: MAX_MEMORIES });
  return [
    ...((await isHelp(task, registry)) ? [{ source: "cadre", isTrusted: true, text: operationsText() }] : []),
    ...rules,
    ...(remembered === "" ? [] : [{ source: "memory", isTrusted: false, text: remembered }]),
  ];
}

/** Our own agent for questions about Cadre, and not one of the same name, nor one that was taken away meanwhile. */
async function isHelp({ spec }: Attempt["task"], registry: Registry): Promise<boolean> {
  if (spec.definition.name !== "help") return false;
  const { agents } = await registry.list();
  return agents.some(({ definition, source }) => definition.name === "help" && source === BUILT_IN);
}

const BUILT_IN = "built in";

const operationsText = (): string =>
  [
    "What Cadre can do, by operation:",
    ...Object.entries(OPERATIONS).map(([name, { summary, authority }]) =>
      authority === "person" ? `- ${name}: ${summary} (a person's to decide)` : `- ${name}: ${summary}`,
    ),
  ].join("\n");

const wholeIn = ({ task }: Attempt, call: CallId): string => `${task.id}/${call}.txt`;

const wholeAt = (attempt: Attempt, call: CallId): string => join(attempt.own.folder, wholeIn(attempt, call));

async function keepWhole(attempt: Attempt, call: CallId, text: string): Promise<string> {
  const { folder } = attempt.own;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeConfined(folder, wholeIn(attempt, call), text);
  return wholeAt(attempt, call);
}

/** One that cannot be read is none: its agent is told why when it writes to it. */
const planOf = ({ own }: Attempt): Promise<string> =>
  readConfined(dirname(own.plan), basename(own.plan)).catch(() => "");
