// The programs that delegate to Cadre by MCP, and how each of them is told its model, its limit and what to do.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY } from "../kit.ts";
import type { Call } from "../model-protocols.ts";
import type { Program } from "../programs.ts";

export const HOSTS = ["claude", "codex", "gemini", "opencode"] as const satisfies readonly Program[];
export type HostName = (typeof HOSTS)[number];

/** Where a host lives: a user of its own, and a project. */
export interface HostPlace {
  readonly home: string;
  readonly project: string;
}

export interface HostRun {
  readonly model: string;
  /** How long it waits for one call. Without it, as `cadre connect` has left it. */
  readonly limitMs: number | undefined;
}

export interface Started {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HostProgram {
  /** What it needs of files before it can run at all. */
  readonly files: (place: HostPlace) => Readonly<Record<string, string>>;
  readonly start: (run: HostRun, place: HostPlace) => Started;
  /** How its model calls a tool of ours. */
  readonly call: (tool: string, args: Call["args"]) => Call;
  /** What its model can see of our tools before it has called any. */
  readonly shows: (tools: readonly string[]) => string[];
  /** Whether it waits on for as long as it hears how it goes. */
  readonly waitsOnProgress: boolean;
}

const PROMPT = "Go on.";

const claude: HostProgram = {
  files: () => ({}),
  start: ({ model, limitMs }) => ({
    args: ["-p", PROMPT, "--output-format", "json", "--allowedTools", "mcp__cadre"],
    env: {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Else it names our tools to its model only when it is asked for them.
      ENABLE_TOOL_SEARCH: "false",
      ...(limitMs === undefined ? {} : { MCP_TOOL_TIMEOUT: String(limitMs) }),
    },
  }),
  call: (tool, args) => ({ name: `mcp__cadre__${tool}`, args }),
  shows: (tools) => tools.map((tool) => `mcp__cadre__${tool}`),
  waitsOnProgress: false,
};

const codex: HostProgram = {
  files: () => ({}),
  start: ({ model, limitMs }) => ({
    args: [
      "exec",
      "--json",
      "--skip-git-repo-check",
      "--model=gpt-5.5",
      "--sandbox=danger-full-access",
      "--disable=plugins",
      ...settings(model, limitMs).flatMap((setting) => ["-c", setting]),
      PROMPT,
    ],
    env: { SCRIPTED_KEY: KEY },
  }),
  call: (tool, args) => ({ name: tool, args, namespace: "mcp__cadre" }),
  // It has its model search for the tools of a server, and tells it of the server alone.
  shows: () => ["cadre"],
  waitsOnProgress: false,
};

const settings = (model: string, limitMs: number | undefined): string[] => [
  'approval_policy="never"',
  'model_provider="scripted"',
  `model_providers.scripted={name="scripted",base_url="${model}/v1",wire_api="responses",env_key="SCRIPTED_KEY"}`,
  "analytics.enabled=false",
  // Else its first request goes out before a server that has just been started has named its tools.
  "mcp_servers.cadre.required=true",
  ...(limitMs === undefined ? [] : [`mcp_servers.cadre.tool_timeout_sec=${limitMs / 1000}`]),
];

const gemini: HostProgram = {
  files: ({ home }) => ({
    [join(home, ".gemini/settings.json")]: JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    }),
  }),
  start: ({ model, limitMs }, { project }) => {
    setLimit(join(project, ".gemini/settings.json"), 600_000, limitMs);
    return {
      args: ["-m", "gemini-2.5-flash", "--approval-mode", "yolo", "-p", PROMPT],
      env: {
        GEMINI_API_KEY: KEY,
        GOOGLE_GEMINI_BASE_URL: model,
        GEMINI_CLI_NO_RELAUNCH: "1",
        // `--skip-trust` would do for a run, but starts no server of the project.
        GEMINI_CLI_TRUST_WORKSPACE: "true",
      },
    };
  },
  call: (tool, args) => ({ name: `mcp_cadre_${tool}`, args }),
  shows: (tools) => tools.map((tool) => `mcp_cadre_${tool}`),
  waitsOnProgress: false,
};

const opencode: HostProgram = {
  files: () => ({}),
  start: ({ model, limitMs }, { project }) => {
    setLimit(join(project, "opencode.json"), 60_000, limitMs);
    const scripted = "anthropic/claude-sonnet-4-5";
    const config = {
      model: scripted,
      small_model: scripted,
      autoupdate: false,
      share: "disabled",
      provider: { anthropic: { options: { baseURL: `${model}/v1`, apiKey: KEY } } },
    };
    return {
      args: ["run", "--format", "json", PROMPT],
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
    };
  },
  call: (tool, args) => ({ name: `cadre_${tool}`, args }),
  shows: (tools) => tools.map((tool) => `cadre_${tool}`),
  waitsOnProgress: true,
};

/** As its user would, in the file that `cadre connect` has written. */
function setLimit(file: string, usual: number, limitMs: number | undefined): void {
  const text = readFileSync(file, "utf8");
  const set = text.replace(/("timeout":\s*)\d+/, `$1${limitMs ?? usual}`);
  if (!/"timeout":\s*\d/.test(text)) throw new Error(`${file} has no limit`);
  if (set !== text) writeFileSync(file, set);
}

export const PROGRAM_OF: Readonly<Record<HostName, HostProgram>> = { claude, codex, gemini, opencode };
