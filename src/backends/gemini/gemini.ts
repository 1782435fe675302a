// Gemini CLI, headless. It is given the tools that the policy opens as a whole, and no others; its file tools stay in the
// workspace by themselves.
import type { TaskSpec } from "../../schema/index.ts";
import { allowanceOf, leftOut } from "../cli/allowance.ts";
import type { Cli, Launch, Wish } from "../cli/cli.ts";
import { refusesParts } from "../cli/whole-tools.ts";
import { GOOGLE } from "../model-access/model-apis.ts";
import { fieldsOf } from "../driven/json-fields.ts";
import { SERVER_OF_ATTEMPT } from "../own-tools/server-name.ts";
import { GeminiEvents } from "./gemini-events.ts";
import { geminiPolicy, geminiSettings, geminiTools, INSTRUCTIONS } from "./gemini-settings.ts";
import { obeyedFile } from "./obeyed-files.ts";

const MEGABYTE = 1024 * 1024;
const POLICY = "cadre-policy.toml";
const PRELOAD = "blocking-output.cjs";
const KEYS = ["GEMINI_API_KEY", "GOOGLE_API_KEY"];

export const gemini: Cli = {
  name: "gemini",
  program: "gemini",
  package: "@google/gemini-cli",
  tested: "0.61.0",
  known: "tried",
  models: {
    provider: "google",
    alsoCalled: ["gemini"],
    aliases: ["pro", "flash", "flash-lite"],
    begins: /^(?:gemini-|gemma-)/,
  },
  capabilities: {
    resume: "session",
    approvals: false,
    steering: false,
    structuredOutput: false,
    toolFilter: true,
    mcpServers: true,
    usage: "at-end",
    largestPromptBytes: 4 * MEGABYTE,
    processes: true,
    lastWords: false,
  },
  counts: "run",
  keys: KEYS,
  variables: ["GOOGLE_GEMINI_BASE_URL"],
  api: GOOGLE,
  logins: [".gemini/oauth_creds.json", ".gemini/google_accounts.json"],
  help: { install: "npm install -g @google/gemini-cli", login: "run `gemini` once and log in." },
  refuses: (spec) => refusesParts("gemini", spec, geminiTools(spec)),
  narrows,
  runsFreely: (spec) => allowanceOf(spec.policy).tools.has("Bash"),
  pieceIn: (line) => (fieldsOf(line)["delta"] === true ? ["content"] : undefined),
  keepsSchema: () => false,
  unsafe: obeyedFile,
  launch,
};

function narrows(spec: TaskSpec): string[] {
  const allowance = allowanceOf(spec.policy);
  const isWriting = allowance.tools.has("Write");
  return [
    ...leftOut(allowance, "gemini"),
    ...(spec.definition.effort === undefined ? [] : ["gemini takes no effort"]),
    ...(isWriting || allowance.write.length === 0
      ? []
      : ["gemini writes its plan and plain files of its own folder, and nothing else"]),
  ];
}

/** The prompt is its input. What our policy does not name is denied whatever the mode. */
const FIXED: readonly string[] = "-o stream-json --approval-mode default --skip-trust -e none".split(" ");

function launch(wish: Wish): Launch {
  const { attempt, prompt, instructions, resume, model, variables, home, own } = wish;
  const { spec } = attempt.task;
  const hasKey = KEYS.some((name) => name in variables);
  return {
    args: [
      ...FIXED,
      "--allowed-mcp-server-names",
      own === undefined ? "none" : SERVER_OF_ATTEMPT,
      "--admin-policy",
      `${home}/${POLICY}`,
      ...(model === undefined ? [] : ["-m", model]),
      ...(resume === undefined ? [] : ["--resume", resume]),
    ],
    env: {
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_FORCE_FILE_STORAGE: "true",
      NODE_OPTIONS: `--require=${JSON.stringify(`${home}/${PRELOAD}`)}`,
      // Set here, so that no file of the project can set it: the key goes where this says.
      GOOGLE_GEMINI_BASE_URL: variables["GOOGLE_GEMINI_BASE_URL"] ?? "https://generativelanguage.googleapis.com",
    },
    files: {
      ".gemini/settings.json": geminiSettings(spec, hasKey, own, attempt.own),
      [`.gemini/${INSTRUCTIONS}`]: instructions,
      [POLICY]: geminiPolicy(spec, own, attempt.own, attempt.workspace.root),
      [PRELOAD]: BLOCKING_OUTPUT,
    },
    // An "@file" would be read whatever its tools are. Escaped it is text.
    input: prompt.replaceAll("@", "\\@"),
    translator: new GeminiEvents(),
    isDialogue: false,
    stop: { signal: "SIGTERM" },
  };
}

/** It exits without waiting for what it has written: the end of a long answer would be lost. Its children get none of it. */
const BLOCKING_OUTPUT = `delete process.env.NODE_OPTIONS;
for (const stream of [process.stdout, process.stderr]) stream._handle?.setBlocking?.(true);
`;
