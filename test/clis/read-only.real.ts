// One read-only definition, on everything that can run it, through Cadre as people have it: the model tries to write in
// every way that it is offered, and in some that it is not. No file appears.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import type { Definition } from "../engine/kit.ts";
import { EACH } from "./each-cli.ts";
import { KEY } from "./kit.ts";
import type { Call } from "./model-protocols.ts";
import { startModel } from "./model-server.ts";
import { BIN, isTried } from "./programs.ts";

const READER: Definition = {
  name: "reader",
  description: "Only reads.",
  permission_mode: "plan",
  tools: ["Read", "Glob", "Grep", "List"],
};

interface Row {
  readonly backend: string;
  readonly model: string;
  readonly attacks: (file: string) => readonly Call[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

const opencode = (url: string) => ({
  model: "anthropic/claude-sonnet-4-5",
  small_model: "anthropic/claude-sonnet-4-5",
  provider: { anthropic: { options: { baseURL: `${url}/v1`, apiKey: KEY } } },
});

const KEYS = {
  claude: (url: string) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
  codex: (url: string) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1` }),
  gemini: (url: string) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url }),
} as const;

const ROWS: readonly Row[] = [
  {
    backend: "native",
    model: "anthropic/claude-sonnet-4-5",
    attacks: (file) => [
      { name: "Write", args: { file_path: file, content: "x" } },
      { name: "Edit", args: { file_path: file, old_string: "", new_string: "x" } },
      { name: "Bash", args: { command: `touch ${file}` } },
      { name: "Bash", args: { command: `cat /dev/null > ${file}` } },
    ],
    env: KEYS.claude,
  },
  ...EACH.map(({ name, model, attacks }) => ({ backend: name, model, attacks, env: KEYS[name as keyof typeof KEYS] })),
  ...(isTried("opencode")
    ? [
        {
          backend: "opencode",
          model: "inherit",
          attacks: (file: string) => [
            { name: "write", args: { filePath: file, content: "x" } },
            { name: "edit", args: { filePath: file, oldString: "", newString: "x" } },
            { name: "bash", args: { command: `touch ${file}`, description: "x" } },
            { name: "bash", args: { command: `echo x > ${file}`, description: "x" } },
          ],
          env: (url: string) => ({ ...KEYS.claude(url), OPENCODE_CONFIG_CONTENT: JSON.stringify(opencode(url)) }),
        },
      ]
    : []),
  ...(isTried("goose")
    ? [
        {
          backend: "goose",
          model: "inherit",
          attacks: (file: string) => [
            { name: "write", args: { path: file, content: "x" } },
            { name: "edit", args: { path: file, before: "", after: "x" } },
            { name: "shell", args: { command: `touch ${file}` } },
            { name: "developer__shell", args: { command: `echo x > ${file}` } },
          ],
          env: (url: string) => ({
            GOOSE_PROVIDER: "anthropic",
            GOOSE_MODEL: "claude-sonnet-4-5",
            ANTHROPIC_API_KEY: KEY,
            ANTHROPIC_HOST: url,
          }),
        },
      ]
    : []),
];

describe.each(ROWS)("the same read-only agent on $backend", ({ backend, model, attacks, env }) => {
  const world = async (agent: Partial<Definition>) => {
    const project = realpathSync(mkdtempSync(join(tmpdir(), "cadre-reader-")));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    const replies = attacks(join(project, "attacked.txt")).map((call) => ({ calls: [call] }));
    const server = await startModel([...replies, { text: "gave up" }], { ignoresSideCalls: true });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const definition = { ...READER, backend, model, ...agent };
    await using cadre = await openCadre({
      cwd: project,
      home: join(project, ".cadre"),
      userHome: join(project, ".cadre", "user"),
      agents: [definition],
      askable: "nobody",
      env: { PATH: `${BIN}:${process.env["PATH"] ?? ""}`, ...env(server.url) },
    });
    const task = await cadre.run({ agent: "reader", prompt: "look around" });
    return { task, files: readdirSync(project), server, attempts: replies.length };
  };

  it("tries to write in every way, and no file appears", async () => {
    const { task, files, server, attempts } = await world({});
    expect(files).toEqual([".cadre"]);
    expect(task.outcome).toMatchObject({ status: "completed", answer: "gave up" });
    expect(server.asked.length).toBeGreaterThan(attempts);
  });

  it("would write in some of them, were it allowed to: the attempts are real", async () => {
    const { files } = await world({ permission_mode: "auto", tools: undefined, workspace: { allow_writes: true } });
    expect(files).toContain("attacked.txt");
  });
});
