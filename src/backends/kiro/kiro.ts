// Kiro's CLI, headless, as its documents have it: plain text, and no word of what it does. It is given an agent of its own
// kind, which has the tools that the policy opens as a whole.
import { namesWithin } from "../../domain/tool-names.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { capabilitiesByDocuments } from "../cli/by-documents.ts";
import { allowanceOf, leftOut } from "../cli/allowance.ts";
import type { Cli, Launch, Wish } from "../cli/cli.ts";
import { firstObeyed } from "../cli/obeyed-files.ts";
import { refusesParts } from "../cli/whole-tools.ts";
import { KIRO } from "../model-access/model-apis.ts";
import { KiroText } from "./kiro-text.ts";

/** The prompt is an argument, and Linux takes none that is longer than twice this. */
const LONGEST_PROMPT = 64 * 1024;
const AGENT = "cadre";
/** It has no name for its conversation: it goes on with the last one of its home and folder. */
const LAST = "last";

/** An agent of the project's comes before ours, and so do its servers and hooks. */
const OBEYED = ["agents", "settings", "hooks", "permissions.json", "mcp.json"].map((name) => `.kiro/${name}`);

export const kiro: Cli = {
  name: "kiro",
  program: "kiro-cli",
  package: "kiro-cli",
  tested: "2.21.2",
  known: "documents",
  models: { provider: "kiro", alsoCalled: [], aliases: [], begins: /^(?!)/ },
  capabilities: capabilitiesByDocuments("untold", LONGEST_PROMPT),
  counts: "run",
  keys: ["KIRO_API_KEY"],
  variables: [],
  api: KIRO,
  logins: [],
  help: { install: "curl -fsSL https://cli.kiro.dev/install | bash", login: "make an API key in Kiro's portal." },
  refuses: (spec) => refusesParts("kiro", spec, toolsOf(spec)),
  narrows: (spec) => [
    ...leftOut(allowanceOf(spec.policy), "kiro"),
    "kiro says nothing of its tools and its turns: neither is in the log, and turns are not limited",
    ...(spec.definition.effort === undefined ? [] : ["kiro takes no effort"]),
  ],
  runsFreely: (spec) => allowanceOf(spec.policy).tools.has("Bash"),
  keepsSchema: () => false,
  unsafe: async (workspace) => firstObeyed("kiro", workspace, OBEYED),
  launch,
};

const toolsOf = ({ policy }: TaskSpec): string[] => [
  ...new Set(namesWithin("kiro", [...allowanceOf(policy).tools]).values()),
];

function launch({ attempt, prompt, instructions, resume, model }: Wish): Launch {
  const tools = toolsOf(attempt.task.spec);
  return {
    args: [
      ..."chat --no-interactive --wrap never".split(" "),
      "--agent",
      AGENT,
      `--trust-tools=${tools.join(",")}`,
      ...(model === undefined ? [] : ["--model", model]),
      ...(resume === undefined ? [] : ["--resume"]),
      "--",
      prompt,
    ],
    env: {},
    files: { [`.kiro/agents/${AGENT}.json`]: agentFile(instructions, tools) },
    input: "",
    translator: new KiroText(LAST),
    isDialogue: false,
    stop: { signal: "SIGTERM" },
  };
}

const agentFile = (prompt: string, tools: readonly string[]): string =>
  JSON.stringify({
    name: AGENT,
    description: "An agent of Cadre's.",
    prompt,
    tools,
    allowedTools: tools,
    mcpServers: {},
    includeMcpJson: false,
    resources: [],
    hooks: {},
  });
