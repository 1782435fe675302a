// Claude Code, headless, as a dialogue: before each tool it asks us through a hook that no settings can take away, so
// that the policy decides every call and a person can be asked.
import { isOffered } from "../../domain/decide-call.ts";
import { givenIn } from "../../domain/given-tools.ts";
import { DELEGATION_TOOLS } from "../../domain/tool-names.ts";
import { isNamedIn } from "../../domain/tool-rules.ts";
import type { TaskSpec } from "../../schema/index.ts";
import { EFFECTS } from "../cli/allowance.ts";
import type { Cli, Launch, OwnServer, Wish } from "../cli/cli.ts";
import { ANTHROPIC } from "../model-access/model-apis.ts";
import { fieldsOf } from "../driven/json-fields.ts";
import { SERVER } from "../own-tools/server-name.ts";
import { ClaudeEvents, HOOKS } from "./claude-events.ts";
import { OFFERED } from "./claude-tools.ts";
import { closedFiles } from "./closed-files.ts";

const MEGABYTE = 1024 * 1024;
const LONGEST_ARGUMENT = 64 * 1024;
const LONGEST_TIMER_MS = 2_000_000_000; // some three weeks: more does not fit a timer
const A_MONTH_S = 30 * 24 * 60 * 60; // a person may take their time
const INSTRUCTIONS = "instructions.md";
const SERVERS = "servers.json";

const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
/** Runs every command of its shell tool. One that looks into the environment of its parent still finds them. */
const WITHOUT_KEYS = "without-keys";

export const claude: Cli = {
  name: "claude",
  program: "claude",
  package: "@anthropic-ai/claude-code",
  tested: "2.1.325",
  known: "tried",
  models: {
    provider: "anthropic",
    alsoCalled: [],
    aliases: ["sonnet", "opus", "haiku", "fable"],
    begins: /^claude-/,
  },
  capabilities: {
    resume: "session",
    approvals: true,
    steering: true,
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
  variables: ["ANTHROPIC_BASE_URL"],
  api: ANTHROPIC,
  logins: [".claude/.credentials.json"],
  help: {
    install: "npm install -g @anthropic-ai/claude-code",
    login: "run `claude auth login`.",
  },
  refuses: () => null,
  narrows: missing,
  runsFreely: (spec) => offered(spec).includes("Bash"),
  pieceIn: (line) => {
    const { type } = fieldsOf(fieldsOf(fieldsOf(line)["event"])["delta"]);
    const field = PIECES[typeof type === "string" ? type : ""];
    return field === undefined ? undefined : ["event", "delta", field];
  },
  keepsSchema: (schema) => schema["type"] === "object" && JSON.stringify(schema).length < LONGEST_ARGUMENT,
  launch,
};

const PIECES: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};

/** What is shown to the model at all; each use is asked about besides. */
function offered({ policy, definition }: TaskSpec): string[] {
  const own = givenIn(definition.tools);
  return OFFERED.filter((tool) => isOffered(policy, { name: tool, effect: EFFECTS[tool] }, isNamedIn(own, tool)));
}

function missing({ definition }: TaskSpec): string[] {
  const own = givenIn(definition.tools);
  const given = [...OFFERED, ...DELEGATION_TOOLS];
  const others = own.filter((rule) => rule !== "*" && !given.some((tool) => isNamedIn([rule], tool)));
  return others.length === 0 ? [] : [`claude is not given what it has no tool of its own for: ${others.join(", ")}`];
}

const FIXED: readonly string[] = [
  "-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages",
  // Nothing of the project's or the user's own: settings, hooks, MCP servers, skills, CLAUDE.md.
  "--restricted --strict-mcp-config --disable-slash-commands --system-prompt-snapshot off",
  // Should the hook ever not be asked, everything but reading is denied.
  "--permission-mode dontAsk --permission-prompt-tool stdio",
].flatMap((flags) => flags.split(" "));

const message = (text: string): string =>
  `${JSON.stringify({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null })}\n`;

function launch(wish: Wish): Launch {
  const { attempt, prompt, instructions, resume, model, mostMicroUsd, schema, home, own } = wish;
  const { spec } = attempt.task;
  const { effort } = spec.definition;
  const { rules, leavesOut } = closedFiles(attempt, wish.project);
  const reader = { root: attempt.workspace.root, readCommand: wish.readCommand, leavesOut };
  return {
    args: [
      ...FIXED,
      ...(rules.length === 0 ? [] : ["--disallowedTools", ...rules]),
      ...(own === undefined ? ["--safe-mode"] : ["--setting-sources", ""]),
      "--tools",
      offered(spec).join(","),
      "--append-system-prompt-file",
      `${home}/${INSTRUCTIONS}`,
      "--max-turns",
      String(spec.limits.maxTurns),
      ...(mostMicroUsd === null ? [] : ["--max-budget-usd", String(mostMicroUsd / 1_000_000)]),
      ...(model === undefined ? [] : ["--model", model]),
      ...(effort === undefined ? [] : ["--effort", effort]),
      ...(schema === undefined ? [] : ["--json-schema", JSON.stringify(schema)]),
      ...(resume === undefined ? [] : ["--resume", resume]),
      ...(own === undefined ? [] : ["--mcp-config", `${home}/${SERVERS}`]),
    ],
    env: {
      ...(own === undefined ? {} : WITH_SERVER),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
      CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
      // An "@file" in a prompt would be read without anybody being asked.
      CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
      CLAUDE_CODE_SHELL_PREFIX: `${home}/${WITHOUT_KEYS}`,
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    },
    files: { [INSTRUCTIONS]: instructions, ...(own === undefined ? {} : { [SERVERS]: servers(own) }) },
    programs: { [WITHOUT_KEYS]: `#!/bin/sh\nunset ${KEYS.join(" ")}\nexec bash -c "$1"\n` },
    input: HOOK,
    translator: new ClaudeEvents(message(prompt), reader, own !== undefined),
    isDialogue: true,
    message,
    stop: { tell: INTERRUPT, signal: "SIGINT" },
  };
}

/**
 * Its safe mode starts no server, not even ours: what else that leaves out is left out by name. All of our tools are
 * shown at once, and a call of one may wait for a person.
 */
const WITH_SERVER = {
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: "1",
  CLAUDE_CODE_DISABLE_WORKFLOWS: "1",
  CLAUDE_CODE_DISABLE_MCP_TASKS: "1",
  ENABLE_TOOL_SEARCH: "false",
  MCP_TOOL_TIMEOUT: String(LONGEST_TIMER_MS),
};

/** It puts the token in by itself: no file holds it. */
const servers = ({ url }: OwnServer): string =>
  JSON.stringify({
    mcpServers: { [SERVER]: { type: "http", url, headers: { Authorization: "Bearer ${CADRE_TOKEN}" } } },
  });

const request = (id: string, what: object): string =>
  `${JSON.stringify({ type: "control_request", request_id: id, request: what })}\n`;

const HOOK = request(HOOKS, {
  subtype: "initialize",
  hooks: { PreToolUse: [{ hookCallbackIds: ["cadre"], timeout: A_MONTH_S }] },
});
const INTERRUPT = request("cadre-stop", { subtype: "interrupt" });
