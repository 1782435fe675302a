// Cursor's CLI, headless, as its documents have it. It asks nobody: what it may do is in a file of its home, in which a
// denial outranks everything, and a mode of its own that only reads.
import type { TaskSpec } from "../../schema/index.ts";
import { capabilitiesByDocuments } from "../cli/by-documents.ts";
import { allowanceOf, type CliTool, leftOut } from "../cli/allowance.ts";
import type { Cli, Launch, Wish } from "../cli/cli.ts";
import { refusesParts } from "../cli/whole-tools.ts";
import { CURSOR } from "../model-access/model-apis.ts";
import { cursorConfig } from "./cursor-config.ts";
import { CursorEvents } from "./cursor-events.ts";
import { obeyedByCursor } from "./obeyed-by-cursor.ts";

/** The prompt is an argument, and Linux takes none that is longer than twice this. */
const LONGEST_PROMPT = 64 * 1024;

export const cursor: Cli = {
  name: "cursor",
  program: "cursor-agent",
  package: "cursor-agent",
  tested: "2026.10.1",
  known: "documents",
  models: { provider: "cursor", alsoCalled: [], aliases: [], begins: /^composer-/ },
  capabilities: capabilitiesByDocuments("untold", LONGEST_PROMPT),
  counts: "run",
  keys: ["CURSOR_API_KEY"],
  variables: [],
  api: CURSOR,
  logins: [],
  help: { install: "curl https://cursor.com/install -fsS | bash", login: "make a key in Cursor's dashboard." },
  refuses: (spec) => refusesParts("cursor", spec, readingOf(spec)),
  narrows: (spec) => [
    ...leftOut(allowanceOf(spec.policy), "cursor"),
    ...(spec.definition.effort === undefined ? [] : ["cursor takes no effort"]),
  ],
  runsFreely: (spec) => allowanceOf(spec.policy).tools.has("Bash"),
  keepsSchema: () => false,
  unsafe: async (workspace) => obeyedByCursor(workspace),
  launch,
};

/** It reads and searches whatever it is told: all of these are open, or it is not started. */
const READING: readonly CliTool[] = ["Read", "Glob", "Grep", "List"];

const readingOf = ({ policy }: TaskSpec): readonly string[] => {
  const { tools } = allowanceOf(policy);
  return READING.every((tool) => tools.has(tool)) ? READING : [];
};

const FIXED: readonly string[] = "-p --output-format stream-json --trust --sandbox disabled".split(" ");

function launch({ attempt, prompt, instructions, resume, model, home }: Wish): Launch {
  const { spec } = attempt.task;
  const { tools } = allowanceOf(spec.policy);
  const onlyReads = !tools.has("Write") && !tools.has("Edit") && !tools.has("Bash");
  return {
    args: [
      ...FIXED,
      // Without "--force" it would propose changes and not make them. What is denied stays so.
      ...(onlyReads ? ["--mode", "ask"] : ["--force"]),
      ...(model === undefined ? [] : ["--model", model]),
      ...(resume === undefined ? [] : ["--resume", resume]),
      `${instructions}\n\n${prompt}`,
    ],
    env: { CURSOR_CONFIG_DIR: `${home}/.cursor` },
    files: { ".cursor/cli-config.json": cursorConfig(tools) },
    input: "",
    translator: new CursorEvents(),
    isDialogue: false,
    stop: { signal: "SIGTERM" },
    maxTurns: spec.limits.maxTurns,
  };
}
