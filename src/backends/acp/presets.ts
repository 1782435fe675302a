// Agents that are known to speak the protocol: how each is started, what it needs of the environment, and how it is
// made to ask before it does something.
import type { ToolDialect } from "../../domain/tool-names.ts";
import type { BackendName } from "../../schema/index.ts";
import {
  ANTHROPIC as ANTHROPIC_API,
  COPILOT as COPILOT_API,
  CURSOR as CURSOR_API,
  DASHSCOPE as DASHSCOPE_API,
  GOOGLE as GOOGLE_API,
  GOOSE_APIS,
  KIRO as KIRO_API,
  type ModelApi,
  OPENAI as OPENAI_API,
  OPENROUTER as OPENROUTER_API,
} from "../model-access/model-apis.ts";
import type { ServerFiles } from "./second-server.ts";

/**
 * What a task's policy wants of a peer, whose own tools we do not run. `reading`: it changes nothing. `asking`: it asks
 * before it changes anything or runs a command. `free`: nothing has to be asked.
 */
export type Hold = "reading" | "asking" | "free";

/** The peer's modes that keep it so, the best first, or none; or it does so as it is started here. */
export type HeldBy = { readonly modes: readonly string[] } | "as started";

export interface Preset {
  readonly name: BackendName;
  /** Nobody here has run it: see what is believed of such a program. Undefined: it was tried. */
  readonly known?: "documents" | undefined;
  /** Undefined: the definition's `command` is all there is. */
  readonly command?: readonly string[] | undefined;
  readonly heldBy: Readonly<Record<"reading" | "asking", HeldBy>>;
  /** Variables of the worker that it may have, where they are set. */
  readonly variables: readonly string[];
  /** Without any of these it cannot reach a model. */
  readonly needs?: readonly string[] | undefined;
  /** Variables that it always has. `given` are those of `variables` that are set. */
  readonly fixed?: (hold: Hold, given: Readonly<Record<string, string>>) => Record<string, string>;
  /** Where its models are. A peer that we know nothing of reaches what its policy says, and that is all. */
  readonly apis: readonly ModelApi[];
  /** Ways to log in that need nothing but a variable: the peer's name for the way, and the variable. */
  readonly logins?: Readonly<Record<string, string>> | undefined;
  /** Takes its model by this variable. */
  readonly modelVariable?: string | undefined;
  /** It reads what servers offer after it has opened its session: prompted at once, it would know none of it. */
  readonly listsLate?: true | undefined;
  /** What it says by itself where a refusal has ended its turn. */
  readonly cancelledWords?: string | undefined;
  /** Where it finds servers of a project, Cadre's own among them. */
  readonly servers?: ServerFiles | undefined;
  /** Whose names its tools have, where it titles calls by them. */
  readonly dialect?: ToolDialect | undefined;
}

const ANTHROPIC = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
const OPENAI = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];
const GOOGLE = ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"];

/** A peer that we know nothing of says by the names of its modes what it can be held to. */
const generic: Preset = {
  name: "acp",
  heldBy: {
    reading: { modes: ["plan", "read-only"] },
    asking: { modes: ["default", "ask", "approve", "manual"] },
  },
  variables: [],
  apis: [],
};

/** One that does not follow the variable, or not in the way that its maker's own program does. */
const withItsKey = (api: ModelApi): ModelApi => ({ ...api, paths: [] });

const gemini: Preset = {
  name: "acp-gemini",
  command: ["gemini", "--acp"],
  heldBy: { reading: { modes: ["plan"] }, asking: { modes: ["default"] } },
  variables: GOOGLE,
  apis: [withItsKey(GOOGLE_API)],
  needs: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  // Started again by itself, it would not hear that its input has ended.
  fixed: () => ({ GEMINI_CLI_NO_RELAUNCH: "true", NO_BROWSER: "true" }),
  logins: { "gemini-api-key": "GEMINI_API_KEY" },
  modelVariable: "GEMINI_MODEL",
  servers: { files: [".gemini/settings.json"], key: "mcpServers", host: "gemini" },
};

/** In its mode "plan" a model decides which commands only read; in "default" what is no reading is asked here. */
const claude: Preset = {
  name: "acp-claude",
  command: ["claude-agent-acp"],
  heldBy: { reading: { modes: ["default"] }, asking: { modes: ["default"] } },
  variables: [...ANTHROPIC, "CLAUDE_CODE_OAUTH_TOKEN"],
  apis: [ANTHROPIC_API],
  needs: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
  fixed: () => ({ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" }),
  modelVariable: "ANTHROPIC_MODEL",
  servers: { files: [".mcp.json"], key: "mcpServers", host: "claude" },
};

/** In its mode "agent" it writes without asking; in "read-only" it asks for whatever goes further. */
const codex: Preset = {
  name: "acp-codex",
  command: ["codex-acp"],
  heldBy: { reading: { modes: ["read-only"] }, asking: { modes: ["read-only"] } },
  variables: [...OPENAI, "CODEX_API_KEY"],
  apis: [{ ...OPENAI_API, baseUrl: undefined }],
  needs: ["OPENAI_API_KEY", "CODEX_API_KEY"],
  logins: { "openai-api-key": "OPENAI_API_KEY", "codex-api-key": "CODEX_API_KEY" },
  servers: { files: [".codex/config.toml"], key: "mcp_servers", host: "codex" },
};

/** As it comes, it asks for nothing. */
const opencode: Preset = {
  name: "opencode",
  command: ["opencode", "acp"],
  heldBy: { reading: { modes: ["plan"] }, asking: "as started" },
  variables: [...ANTHROPIC, ...OPENAI, ...GOOGLE, "OPENROUTER_API_KEY", "OPENCODE_CONFIG_CONTENT"],
  apis: [...[ANTHROPIC_API, OPENAI_API, GOOGLE_API].map(withItsKey), OPENROUTER_API],
  fixed: (hold, given) => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      ...objectIn(given["OPENCODE_CONFIG_CONTENT"]),
      autoupdate: false,
      share: "disabled",
      ...(hold === "free" ? {} : { permission: OPENCODE_ASKS[hold] }),
    }),
  }),
  servers: {
    files: ["", ".opencode/"].flatMap((folder) => [`${folder}opencode.json`, `${folder}opencode.jsonc`]),
    key: "mcp",
    host: "opencode",
  },
};

const OPENCODE_ASKS = {
  asking: { edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask" },
  reading: { edit: "deny", bash: "deny", webfetch: "ask", external_directory: "deny" },
} as const;

const qwen: Preset = {
  name: "qwen",
  command: ["qwen", "--acp"],
  heldBy: { reading: { modes: ["plan"] }, asking: { modes: ["default"] } },
  variables: [...OPENAI, "OPENAI_MODEL", "DASHSCOPE_API_KEY"],
  apis: [withItsKey(OPENAI_API), DASHSCOPE_API],
  needs: ["OPENAI_API_KEY", "DASHSCOPE_API_KEY"],
  logins: { openai: "OPENAI_API_KEY" },
  modelVariable: "OPENAI_MODEL",
  listsLate: true,
  servers: { files: [".qwen/settings.json"], key: "mcpServers", host: "qwen" },
};

/** Its mode "approve" asks for every tool, so that what only reads can be told from the rest here. */
const goose: Preset = {
  name: "goose",
  command: ["goose", "acp"],
  heldBy: { reading: "as started", asking: "as started" },
  variables: [
    "GOOSE_PROVIDER",
    "GOOSE_MODEL",
    "OPENAI_API_KEY",
    "OPENAI_HOST",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_HOST",
    "GOOGLE_API_KEY",
    "OPENROUTER_API_KEY",
    "OLLAMA_HOST",
  ],
  apis: GOOSE_APIS,
  needs: ["GOOSE_PROVIDER"],
  fixed: (hold) => ({
    GOOSE_DISABLE_KEYRING: "1",
    GOOSE_TELEMETRY_ENABLED: "false",
    GOOSE_MODE: hold === "free" ? "auto" : "approve",
  }),
  modelVariable: "GOOSE_MODEL",
  dialect: "goose",
};

const copilot: Preset = {
  name: "copilot",
  command: ["copilot", "--acp"],
  heldBy: { reading: { modes: ["plan"] }, asking: "as started" },
  variables: [
    "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "COPILOT_PROVIDER_BASE_URL",
    "COPILOT_PROVIDER_API_KEY",
    "COPILOT_PROVIDER_TYPE",
  ],
  apis: [COPILOT_API],
  needs: ["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_PROVIDER_BASE_URL"],
  modelVariable: "COPILOT_MODEL",
  cancelledWords: "Info: Operation cancelled by user",
};

/** It asks before commands, and changes files unasked in every mode but those that only read. */
const cursor: Preset = {
  name: "acp-cursor",
  known: "documents",
  command: ["cursor-agent", "acp"],
  heldBy: { reading: { modes: ["ask", "plan"] }, asking: { modes: [] } },
  variables: ["CURSOR_API_KEY"],
  apis: [CURSOR_API],
  needs: ["CURSOR_API_KEY"],
  logins: { cursor_login: "CURSOR_API_KEY" },
  servers: { files: [".cursor/mcp.json"], key: "mcpServers", host: "cursor" },
};

/** Its modes are agents. As it comes, it asks before it writes or runs something. */
const kiro: Preset = {
  name: "acp-kiro",
  known: "documents",
  command: ["kiro-cli", "acp"],
  heldBy: { reading: "as started", asking: "as started" },
  variables: ["KIRO_API_KEY"],
  apis: [KIRO_API],
  needs: ["KIRO_API_KEY"],
  dialect: "kiro",
};

export const PRESETS: readonly Preset[] = [
  generic,
  gemini,
  claude,
  codex,
  opencode,
  qwen,
  goose,
  copilot,
  cursor,
  kiro,
];

function objectIn(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
