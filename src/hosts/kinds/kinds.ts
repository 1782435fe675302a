// The programs that can be connected: where each keeps its servers, and how it writes one down. Time limits are there
// where a host has one that a call of ours could reach, in the unit of that host.
import { join } from "node:path";
import type { HostScope } from "../../ports/index.ts";
import { codexSkills } from "../commands/codex-skills.ts";
import { geminiCommands, PERSONAS } from "../commands/gemini-files.ts";
import { markdownCommands, QWEN_FORM } from "../commands/markdown-commands.ts";
import { jsonText } from "../text/json-text.ts";
import { tomlText } from "../text/toml-text.ts";
import { yamlText } from "../text/yaml-text.ts";
import { type Ground, type HostKind, type Launch, SERVER_NAME } from "./kind.ts";

const json = jsonText({ lenient: false });
const jsonWithComments = jsonText({ lenient: true });

/** A folder that a variable may name, else one in the user's home. */
const told = ({ env, userHome }: Ground, variable: string, usual: string): string =>
  env[variable] !== undefined && env[variable] !== "" ? env[variable] : join(userHome, usual);

const rootOf = (scope: HostScope, { userHome, project }: Ground): string => (scope === "user" ? userHome : project);

const plain = ({ command, args }: Launch) => ({ command, args: [...args] });
const stdio = (launch: Launch) => ({ type: "stdio", ...plain(launch) });

/** For a host that keeps variables back: each by its name, as that host writes "what it is here". */
const handedOn = ({ env }: Launch, written: (name: string) => string) =>
  env.length === 0 ? {} : { env: Object.fromEntries(env.map((name) => [name, written(name)])) };

const claude: HostKind = {
  title: "Claude Code",
  programs: ["claude"],
  usual: "project",
  place: (scope, ground) => ({
    root: scope === "user" ? told(ground, "CLAUDE_CONFIG_DIR", "") : ground.project,
    files: [scope === "user" ? ".claude.json" : ".mcp.json"],
    format: json,
    keys: ["mcpServers", SERVER_NAME],
    server: stdio,
  }),
  commands: (scope, ground, parts) => ({
    root: scope === "user" ? told(ground, "CLAUDE_CONFIG_DIR", ".claude") : join(ground.project, ".claude"),
    files: markdownCommands("commands", parts),
  }),
};

const codex: HostKind = {
  title: "Codex",
  programs: ["codex"],
  usual: "user",
  place: (scope, ground) => ({
    root: scope === "user" ? told(ground, "CODEX_HOME", ".codex") : ground.project,
    files: [scope === "user" ? "config.toml" : join(".codex", "config.toml")],
    format: tomlText,
    keys: ["mcp_servers", SERVER_NAME],
    server: (launch) => ({
      ...plain(launch),
      ...(launch.env.length === 0 ? {} : { env_vars: [...launch.env] }),
      startup_timeout_sec: 30,
      tool_timeout_sec: 300,
    }),
  }),
  commands: (scope, ground, parts) =>
    scope === "user" ? { root: told(ground, "CODEX_HOME", ".codex"), files: codexSkills(parts) } : null,
};

const gemini: HostKind = {
  title: "Gemini CLI",
  programs: ["gemini"],
  usual: "project",
  place: (scope, ground) => ({
    root: rootOf(scope, ground),
    files: [join(".gemini", "settings.json")],
    format: jsonWithComments,
    keys: ["mcpServers", SERVER_NAME],
    server: (launch) => ({
      ...plain(launch),
      ...handedOn(launch, (name) => `$${name}`),
      timeout: 600_000,
      trust: false,
    }),
  }),
  commands: (scope, ground, parts) => ({ root: rootOf(scope, ground), files: geminiCommands(parts) }),
  personas: PERSONAS,
};

const opencode: HostKind = {
  title: "opencode",
  programs: ["opencode"],
  usual: "project",
  place: (scope, ground) => ({
    root: scope === "user" ? join(told(ground, "XDG_CONFIG_HOME", ".config"), "opencode") : ground.project,
    files: ["opencode.jsonc", "opencode.json"],
    format: jsonWithComments,
    keys: ["mcp", SERVER_NAME],
    server: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true, timeout: 60_000 }),
  }),
  commands: (scope, ground, parts) => ({
    root:
      scope === "user"
        ? join(told(ground, "XDG_CONFIG_HOME", ".config"), "opencode")
        : join(ground.project, ".opencode"),
    files: markdownCommands("command", parts),
  }),
};

const qwen: HostKind = {
  title: "Qwen Code",
  programs: ["qwen"],
  usual: "project",
  place: (scope, ground) => ({
    root: rootOf(scope, ground),
    files: [join(".qwen", "settings.json")],
    format: jsonWithComments,
    keys: ["mcpServers", SERVER_NAME],
    server: (launch) => ({ ...plain(launch), timeout: 600_000, trust: false }),
  }),
  commands: (scope, ground, parts) => ({
    root: join(rootOf(scope, ground), ".qwen"),
    files: markdownCommands("commands", parts, QWEN_FORM),
  }),
};

const copilot: HostKind = {
  title: "GitHub Copilot",
  programs: ["copilot"],
  usual: "user",
  // The user's file is the one of Copilot's command line, the project's the one of VS Code.
  place: (scope, ground) => ({
    root: rootOf(scope, ground),
    files: [scope === "user" ? join(".copilot", "mcp-config.json") : join(".vscode", "mcp.json")],
    format: jsonWithComments,
    keys: [scope === "user" ? "mcpServers" : "servers", SERVER_NAME],
    server:
      scope === "user"
        ? (launch) => ({
            type: "local",
            ...plain(launch),
            ...handedOn(launch, (name) => `\${${name}}`),
            tools: ["*"],
          })
        : stdio,
  }),
};

const goose: HostKind = {
  title: "goose",
  programs: ["goose"],
  usual: "user",
  place: (scope, ground) =>
    scope === "project"
      ? null
      : {
          root: join(told(ground, "XDG_CONFIG_HOME", ".config"), "goose"),
          files: ["config.yaml"],
          format: yamlText,
          keys: ["extensions", SERVER_NAME],
          server: ({ command, args }) => ({
            enabled: true,
            type: "stdio",
            name: SERVER_NAME,
            description: "Sub-agents",
            cmd: command,
            args: [...args],
            timeout: 300,
          }),
        },
};

const cursor: HostKind = {
  title: "Cursor",
  programs: ["cursor", "cursor-agent"],
  usual: "project",
  place: (scope, ground) => ({
    root: rootOf(scope, ground),
    files: [join(".cursor", "mcp.json")],
    format: jsonWithComments,
    keys: ["mcpServers", SERVER_NAME],
    server: (launch) => ({ ...plain(launch), ...handedOn(launch, (name) => `\${env:${name}}`) }),
  }),
};

const zed: HostKind = {
  title: "Zed",
  programs: ["zed", "zeditor"],
  usual: "user",
  place: (scope, ground) => ({
    root: scope === "user" ? join(told(ground, "XDG_CONFIG_HOME", ".config"), "zed") : ground.project,
    files: [scope === "user" ? "settings.json" : join(".zed", "settings.json")],
    format: jsonWithComments,
    keys: ["context_servers", SERVER_NAME],
    server: (launch) => ({ ...plain(launch), env: {} }),
  }),
};

export const KINDS: ReadonlyMap<string, HostKind> = new Map(
  Object.entries({ claude, codex, gemini, opencode, qwen, copilot, goose, cursor, zed }),
);
