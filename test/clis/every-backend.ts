// Everything that can run an agent here, through Cadre as people have it, each against a model of its own.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { Envelope, TaskView } from "../../src/schema/index.ts";
import type { Definition } from "../engine/kit.ts";
import { EACH } from "./each-cli.ts";
import { KEY } from "./kit.ts";
import type { Call } from "./model-protocols.ts";
import { type ModelServer, type Reply, startModel } from "./model-server.ts";
import { BIN, isTried } from "./programs.ts";

export interface Row {
  readonly backend: string;
  readonly model: string;
  /** Whatever could change a file. */
  readonly attacks: (file: string) => readonly Call[];
  /** A tool of Cadre's own, as its model calls it. */
  readonly ours: (tool: string, args: Record<string, unknown>) => Call;
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

const KEYS = {
  claude: (url: string) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
  codex: (url: string) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
  gemini: (url: string) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
} as const;

const MODEL = "anthropic/claude-sonnet-4-5";

const NATIVE: Row = {
  backend: "native",
  model: MODEL,
  attacks: (file) => [
    { name: "Write", args: { file_path: file, content: "x" } },
    { name: "Edit", args: { file_path: file, old_string: "", new_string: "x" } },
    { name: "Bash", args: { command: `touch ${file}` } },
    { name: "Bash", args: { command: `cat /dev/null > ${file}` } },
  ],
  ours: (name, args) => ({ name, args }),
  env: KEYS.claude,
};

const opencodeConfig = (url: string): string =>
  JSON.stringify({
    model: MODEL,
    small_model: MODEL,
    provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: KEY } } },
  });

const PEERS: readonly Row[] = [
  {
    backend: "opencode",
    model: "inherit",
    attacks: (file) => [
      { name: "write", args: { filePath: file, content: "x" } },
      { name: "edit", args: { filePath: file, oldString: "", newString: "x" } },
      { name: "bash", args: { command: `touch ${file}`, description: "x" } },
      { name: "bash", args: { command: `echo x > ${file}`, description: "x" } },
    ],
    ours: (tool, args) => ({ name: `cadre_${tool}`, args }),
    env: (url) => ({ ...KEYS.claude(url), OPENCODE_CONFIG_CONTENT: opencodeConfig(url) }),
  },
  {
    backend: "goose",
    model: "inherit",
    attacks: (file) => [
      { name: "write", args: { path: file, content: "x" } },
      { name: "edit", args: { path: file, before: "", after: "x" } },
      { name: "shell", args: { command: `touch ${file}` } },
      { name: "developer__shell", args: { command: `echo x > ${file}` } },
    ],
    ours: (tool, args) => ({ name: `cadre__${tool}`, args }),
    env: (url) => ({
      GOOSE_PROVIDER: "anthropic",
      GOOSE_MODEL: "claude-sonnet-4-5",
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_HOST: url,
    }),
  },
  {
    backend: "qwen",
    model: "inherit",
    attacks: (file) => [
      { name: "write_file", args: { file_path: file, content: "x" } },
      { name: "edit", args: { file_path: file, old_string: "", new_string: "x" } },
      { name: "run_shell_command", args: { command: `touch ${file}`, is_background: false } },
      { name: "run_shell_command", args: { command: `echo x > ${file}`, is_background: false } },
    ],
    ours: (tool, args) => ({ name: `mcp__cadre__${tool}`, args }),
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "scripted" }),
  },
  {
    backend: "copilot",
    model: "inherit",
    attacks: (file) => [
      { name: "create", args: { path: file, file_text: "x" } },
      { name: "edit", args: { path: file, old_str: "", new_str: "x" } },
      { name: "bash", args: { command: `touch ${file}`, description: "x" } },
      { name: "bash", args: { command: `echo x > ${file}`, description: "x" } },
    ],
    ours: (tool, args) => ({ name: `cadre-${tool}`, args }),
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
    }),
  },
];

export const ROWS: readonly Row[] = [
  NATIVE,
  ...EACH.map(({ name, model, attacks, ours }) => ({
    backend: name,
    model,
    attacks,
    ours,
    env: KEYS[name as keyof typeof KEYS],
  })),
  ...PEERS.filter(({ backend }) => isTried(backend)),
];

export interface Ran {
  readonly task: TaskView;
  readonly log: readonly Envelope[];
  readonly project: string;
  readonly server: ModelServer;
}

/** Runs its one agent in a new project, with what the operating system can confine it by. */
export async function runOn(
  { backend, model, env }: Row,
  replies: (project: string) => readonly Reply[],
  agent: Partial<Definition>,
): Promise<Ran> {
  const project = realpathSync(mkdtempSync(join(tmpdir(), "cadre-every-")));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const server = await startModel(replies(project), { ignoresSideCalls: true });
  onTestFinished(() => server[Symbol.asyncDispose]());
  await using cadre = await openCadre({
    cwd: project,
    home: join(project, ".cadre"),
    userHome: join(project, ".cadre", "user"),
    agents: [{ name: "worker", description: "Works.", backend, model, ...agent }],
    askable: "nobody",
    env: { PATH: `${BIN}:${process.env["PATH"] ?? ""}`, ...env(server.url) },
  });
  const task = await cadre.run({ agent: "worker", prompt: "look around" });
  const log = (await cadre.call("task.events", { task: task.id, limit: 1000 })).events;
  return { task, log, project, server };
}
