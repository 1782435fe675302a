// Amp, headless, as its documents and its own help have it. It reads files by commands, so that an agent without commands
// is none for it; its conversation is kept by its maker's server.
import type { Obstacle } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { capabilitiesByDocuments } from "../cli/by-documents.ts";
import { allowanceOf, type CliTool, leftOut } from "../cli/allowance.ts";
import type { Cli, Launch, Wish } from "../cli/cli.ts";
import { firstObeyed } from "../cli/obeyed-files.ts";
import { openNames, refusesParts } from "../cli/whole-tools.ts";
import { AMP } from "../model-access/model-apis.ts";
import { AmpEvents } from "./amp-events.ts";

const MEGABYTE = 1024 * 1024;
const SETTINGS = "amp-settings.json";

/** Its tools, those of its older versions among them. All others are rejected. */
const TOOLS: Readonly<Record<string, readonly CliTool[]>> = {
  shell_command: ["Bash"],
  shell_command_status: ["Bash"],
  shell_command_kill: ["Bash"],
  Bash: ["Bash"],
  Read: ["Read"],
  glob: ["Glob"],
  Glob: ["Glob"],
  Grep: ["Grep"],
  apply_patch: ["Write", "Edit"],
  create_file: ["Write"],
  edit_file: ["Edit"],
  read_web_page: ["WebFetch"],
  web_search: ["WebSearch"],
};

const NEEDED: readonly CliTool[] = ["Read", "Glob", "Grep", "List", "Bash"];

const OBEYED = [".amp/settings.json", ".amp/settings.jsonc", ".amp/plugins", ".amp/toolbox"];

export const amp: Cli = {
  name: "amp",
  program: "amp",
  package: "@ampcode/cli",
  tested: "0.0.1790142911",
  known: "documents",
  models: { provider: "amp", alsoCalled: [], aliases: [], begins: /^(?!)/ },
  capabilities: capabilitiesByDocuments("at-end", 4 * MEGABYTE),
  counts: "run",
  keys: ["AMP_API_KEY"],
  variables: [],
  api: AMP,
  logins: [],
  help: { install: "npm install -g @ampcode/cli", login: "make an access token in Amp's settings." },
  refuses,
  narrows: ({ policy, definition: { effort } }) => [
    ...leftOut(allowanceOf(policy), "amp"),
    "amp keeps its conversation on its maker's server",
    ...(effort === undefined || isMode(effort) ? [] : [`amp has no mode for the effort ${effort}`]),
  ],
  runsFreely: () => true,
  keepsSchema: () => false,
  unsafe: async (workspace) => firstObeyed("amp", workspace, OBEYED),
  launch,
};

const toolsOf = ({ policy }: TaskSpec): string[] => openNames(allowanceOf(policy).tools, TOOLS);

function refuses(spec: TaskSpec): Obstacle | null {
  const parts = refusesParts("amp", spec, toolsOf(spec));
  const { tools } = allowanceOf(spec.policy);
  if (parts !== null || NEEDED.every((tool) => tools.has(tool))) return parts;
  return {
    message: "amp reads files by running commands, and this agent may not run any, or not freely",
    hint: "Give it Bash and permission_mode auto, or use another backend.",
  };
}

const MODES = ["low", "medium", "high"] as const;
const isMode = (effort: string): boolean => MODES.some((mode) => mode === effort);

const FIXED: readonly string[] =
  "-x --stream-json --executor local --visibility private --no-ide --no-notifications --no-color".split(" ");

function launch({ attempt, prompt, instructions, resume, home }: Wish): Launch {
  const { spec } = attempt.task;
  const { effort } = spec.definition;
  return {
    args: [
      ...(resume === undefined ? [] : ["threads", "continue", resume]),
      ...FIXED,
      "--settings-file",
      `${home}/${SETTINGS}`,
      ...(effort === undefined || !isMode(effort) ? [] : ["--mode", effort]),
    ],
    env: { AMP_REMOTE_CONTROL_TERMINAL: "0" },
    files: { [SETTINGS]: settingsFor(toolsOf(spec)) },
    input: `${instructions}\n\n${prompt}`,
    translator: new AmpEvents(),
    isDialogue: false,
    stop: { signal: "SIGTERM" },
    maxTurns: spec.limits.maxTurns,
  };
}

/** The first rule that fits counts, and these come before its own. */
const settingsFor = (tools: readonly string[]): string =>
  JSON.stringify({
    "amp.permissions": [...tools.map((tool) => ({ tool, action: "allow" })), { tool: "*", action: "reject" }],
    "amp.mcpServers": {},
    "amp.skills.disableClaudeCodeSkills": true,
    "amp.skills.disableGlobalAgentsSkills": true,
    "amp.remoteThreadCreation.enabled": false,
    "amp.updates.mode": "disabled",
  });
