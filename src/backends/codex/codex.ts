// Codex, headless. It does not ask before each call; its own sandbox, told exactly what the policy opens, holds all that
// it runs. So a list of tools becomes a list of effects.
import { wholeStop } from "../../domain/tool-rules.ts";
import type { Obstacle } from "../../ports/index.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { allowanceOf, closingRules, leftOut, READING } from "../cli/allowance.ts";
import type { Cli, Launch, Wish } from "../cli/cli.ts";
import { OPENAI } from "../model-access/model-apis.ts";
import { codexConfig } from "./codex-config.ts";
import { CodexEvents } from "./codex-events.ts";
import { isStrictSchema } from "./strict-schema.ts";

const MEGABYTE = 1024 * 1024;
const SCHEMA = "output-schema.json";
const KEYS = ["CODEX_API_KEY", "OPENAI_API_KEY"];

export const codex: Cli = {
  name: "codex",
  program: "codex",
  package: "@openai/codex",
  tested: "0.166.0",
  known: "tried",
  models: { provider: "openai", alsoCalled: [], aliases: [], begins: /^(?:gpt-|codex-|o\d)/ },
  capabilities: {
    resume: "session",
    approvals: false,
    steering: false,
    structuredOutput: true,
    toolFilter: true,
    mcpServers: true,
    usage: "at-end",
    largestPromptBytes: 8 * MEGABYTE,
    processes: true,
    lastWords: false,
  },
  counts: "session",
  keys: KEYS,
  variables: ["OPENAI_BASE_URL"],
  api: OPENAI,
  logins: [".codex/auth.json"],
  help: { install: "npm install -g @openai/codex", login: "run `codex login`." },
  refuses,
  narrows,
  runsFreely: () => false,
  keepsSchema: isStrictSchema,
  leavesEmpty: true,
  launch,
};

function refuses(spec: TaskSpec): Obstacle | null {
  const allowance = allowanceOf(spec.policy);
  const onCommands = allowance.partial.filter(({ tool, stops }) => stops && tool === "Bash").map(({ rule }) => rule);
  const noCommands = spec.policy.tools.flatMap(({ ask, deny }) => wholeStop([...ask, ...deny], "Bash") ?? []);
  const unkept = [...new Set([...closingRules(allowance), ...onCommands, ...noCommands])];
  if (unkept.length > 0) {
    return {
      message: `codex cannot be held to ${unkept.join(", ")}: it runs commands, and they read what its sandbox may`,
      hint: "Use the claude or the native backend, or leave such files out of policy.fs.read.",
    };
  }
  if (allowance.read.length > 0) return null;
  const shut = READING.filter((tool) => !allowance.tools.has(tool));
  return {
    message: `codex always reads, by commands of any kind, and this agent may not use ${shut.join(", ")} freely`,
    hint: `Give it the tools ${READING.join(", ")}, or use another backend.`,
  };
}

function narrows(spec: TaskSpec): string[] {
  const allowance = allowanceOf(spec.policy);
  const { tools, read, write, asked } = allowance;
  const net = tools.has("Bash") && allowance.isNetworkOpen ? "with network" : "without network";
  return [
    `commands run in codex's own sandbox, ${net}: they read ${listed(read)} and the system, and write ${listed(write)}, as far as these are folders`,
    "of what Cadre keeps of other tasks, these commands can read their plans and their CLIs' own conversations",
    ...(tools.has("Bash") || asked.includes("Bash")
      ? []
      : ["codex has nothing but commands: they run there although Bash is not among the tools"]),
    ...leftOut({ ...allowance, asked: asked.filter((tool) => tool !== "Bash") }, "codex"),
    "each tool call counts as a turn",
  ];
}

const listed = (scopes: readonly string[]): string => (scopes.length === 0 ? "nothing" : scopes.join(", "));

function launch(wish: Wish): Launch {
  const { attempt, prompt, resume, model, schema, variables, home } = wish;
  const key = KEYS.find((name) => name in variables);
  const flags = [
    "--json",
    "--skip-git-repo-check",
    "--ignore-rules",
    ...(model === undefined ? [] : ["-m", model]),
    ...(schema === undefined ? [] : ["--output-schema", `${home}/${SCHEMA}`]),
  ];
  return {
    // The prompt is read from the input where "-" stands for it.
    args: resume === undefined ? ["exec", ...flags, "-"] : ["exec", ...flags, "resume", resume, "-"],
    env: { CODEX_HOME: `${home}/.codex` },
    files: {
      ".codex/config.toml": codexConfig(wish, key),
      ...(schema === undefined ? {} : { [SCHEMA]: JSON.stringify(schema) }),
    },
    input: prompt,
    translator: new CodexEvents(),
    isDialogue: false,
    stop: { signal: "SIGINT" },
    maxTurns: attempt.task.spec.limits.maxTurns,
  };
}
