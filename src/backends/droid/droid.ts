// Droid, headless, as its documents and its own help have it. It is given the tools that the policy opens as a whole, by a
// list that leaves all others out.
import type { TaskSpec } from "../../schema/index.ts";
import { capabilitiesByDocuments } from "../cli/by-documents.ts";
import { allowanceOf, type CliTool, leftOut } from "../cli/allowance.ts";
import type { Cli, Launch, Wish } from "../cli/cli.ts";
import { firstObeyed } from "../cli/obeyed-files.ts";
import { openNames, refusesParts } from "../cli/whole-tools.ts";
import { FACTORY } from "../model-access/model-apis.ts";
import { DroidEvents } from "./droid-events.ts";

const MEGABYTE = 1024 * 1024;
const PROMPT = "prompt.md";
const INSTRUCTIONS = "instructions.md";
const SETTINGS = ".factory/settings.json";

/** Its tools. Which of those that write a model has depends on the model: the others are skipped. */
const TOOLS: Readonly<Record<string, readonly CliTool[]>> = {
  Read: ["Read"],
  LS: ["List"],
  Grep: ["Grep"],
  Glob: ["Glob"],
  Edit: ["Edit"],
  Create: ["Write"],
  ApplyPatch: ["Write", "Edit"],
  Execute: ["Bash"],
  FetchUrl: ["WebFetch"],
  WebSearch: ["WebSearch"],
  TodoWrite: ["TodoWrite"],
};

/** Files of a project that start programs, or change what it may do. */
const OBEYED = ["settings.json", "settings.local.json", "mcp.json", "hooks.json", "hooks", "plugins"].map(
  (name) => `.factory/${name}`,
);

export const droid: Cli = {
  name: "droid",
  program: "droid",
  package: "droid",
  tested: "0.215.0",
  known: "documents",
  models: { provider: "factory", alsoCalled: ["droid"], aliases: [], begins: /^(?!)/ },
  capabilities: capabilitiesByDocuments("at-end", 4 * MEGABYTE),
  counts: "run",
  keys: ["FACTORY_API_KEY"],
  variables: [],
  api: FACTORY,
  logins: [],
  help: { install: "npm install -g droid", login: "make a key in Factory's settings." },
  refuses: (spec) => refusesParts("droid", spec, toolsOf(spec)),
  narrows: (spec) => leftOut(allowanceOf(spec.policy), "droid"),
  runsFreely: (spec) => allowanceOf(spec.policy).tools.has("Bash"),
  keepsSchema: () => false,
  unsafe: async (workspace) => firstObeyed("droid", workspace, OBEYED),
  launch,
};

const toolsOf = ({ policy }: TaskSpec): string[] => openNames(allowanceOf(policy).tools, TOOLS);

/** How far it goes by itself. Without a word it only reads; which commands are too much for a level, it decides. */
function autonomyOf(tools: ReadonlySet<CliTool>): string[] {
  if (tools.has("Bash")) return ["--auto", "high"];
  return tools.has("Write") || tools.has("Edit") ? ["--auto", "low"] : [];
}

function launch({ attempt, prompt, instructions, resume, model, home }: Wish): Launch {
  const { spec } = attempt.task;
  const { effort } = spec.definition;
  return {
    args: [
      "exec",
      "--output-format",
      "stream-json",
      "--only-tools",
      toolsOf(spec).join(","),
      ...autonomyOf(allowanceOf(spec.policy).tools),
      "--disable-builtin-skills",
      "--append-system-prompt-file",
      `${home}/${INSTRUCTIONS}`,
      ...(model === undefined ? [] : ["--model", model]),
      ...(effort === undefined ? [] : ["--reasoning-effort", effort]),
      ...(resume === undefined ? [] : ["--session-id", resume]),
      "--file",
      `${home}/${PROMPT}`,
    ],
    env: { FACTORY_DISABLE_KEYRING: "1", FACTORY_DROID_AUTO_UPDATE_ENABLED: "false" },
    files: {
      [PROMPT]: prompt,
      [INSTRUCTIONS]: instructions,
      [SETTINGS]: JSON.stringify({ cloudSessionSync: false, hooksDisabled: true }),
    },
    input: "",
    translator: new DroidEvents(),
    isDialogue: false,
    stop: { signal: "SIGTERM" },
    maxTurns: spec.limits.maxTurns,
  };
}
