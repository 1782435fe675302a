// The queue of `/agent:…` as people have it in Gemini CLI itself: the real program, its commands written by
// `cadre connect gemini`, and a model on loopback that shows what a command printed, as it is told to.
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { KEY } from "./kit.ts";
import { type ModelServer, type Reply, startModel } from "./model-server.ts";
import { BIN } from "./programs.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const LIMIT_MS = 60_000;
const PROMPT = "Create a python script in the workspace called 'math.py' that contains a function to add two numbers.";
const CODE = "def add(a, b):\n    return a + b\n";

/** The person of this test has no terminal. */
const CONFIG = "security:\n  person_without_terminal: true\n";

interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A project and a user of their own, with Gemini CLI and Cadre, and nothing else of this machine's. */
async function world() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "cadre-gemini-commands-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const [project, home, bin] = [join(base, "project"), join(base, "home"), join(base, "bin")];
  for (const folder of [project, join(home, ".cadre"), join(home, ".gemini"), bin])
    mkdirSync(folder, { recursive: true });
  writeFileSync(join(bin, "cadre"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, ".cadre/config.yml"), CONFIG);
  const settings = {
    security: { auth: { selectedType: "gemini-api-key" } },
  };
  writeFileSync(join(home, ".gemini/settings.json"), JSON.stringify(settings));
  const asked: { model?: ModelServer } = {};
  const model = await startModel([roles(() => asked.model, project)]);
  asked.model = model;
  onTestFinished(() => model[Symbol.asyncDispose]());
  const env = {
    PATH: `${bin}:${BIN}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    LANG: "C.UTF-8",
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: model.url,
    GEMINI_CLI_NO_RELAUNCH: "1",
    NO_COLOR: "1",
  };
  const run = (file: string, ...args: readonly string[]) =>
    new Promise<Ran>((resolve) => {
      const child = execFile(file, args, { cwd: project, env, timeout: LIMIT_MS }, (error, stdout, stderr) =>
        resolve({ exit: typeof error?.code === "number" ? error.code : error === null ? 0 : -1, stdout, stderr }),
      );
      child.stdin?.end();
    });
  const cadre = (...args: readonly string[]) => run("cadre", ...args);
  const type = (line: string) =>
    run("gemini", "--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-flash", "-p", line);
  return { project, home, model, cadre, type };
}

/** Gemini CLI's own model shows what the command printed; the sub-agent's writes the file, then says where it is. */
function roles(model: () => ModelServer | undefined, project: string): Reply {
  const text = () => JSON.stringify(model()?.asked.at(-1)?.body ?? {});
  const isSubAgent = () => text().includes("Your plan file is at");
  const hasWritten = () => text().includes('"functionResponse":{');
  const file = join(project, ".gemini/agents/workspace/math.py");
  return {
    get text() {
      if (isSubAgent()) return hasWritten() ? file : "I write it.";
      const printed = /by a command that has run already:\\n\\n(.*?)\\n\\nThat is what it printed/s.exec(text())?.[1];
      const table = /from a command that has run already:\\n\\n(.*?)\\n\\nThat is what it printed/s.exec(text())?.[1];
      return JSON.parse(`"${printed ?? table ?? "there is nothing to show"}"`) as string;
    },
    get calls() {
      if (!isSubAgent() || hasWritten()) return [];
      return [{ name: "write_file", args: { file_path: file, content: CODE } }];
    },
  };
}

it("/agent:start, /agent:status and /agent:run do what they say, files included", { timeout: 300_000 }, async () => {
  const { project, home: userHome, cadre, type } = await world();
  const connected = await cadre("connect", "gemini", "--user", "--personas");
  expect(connected).toMatchObject({ exit: 0 });
  expect(readdirSync(join(userHome, ".gemini/commands/agent")).toSorted()).toEqual([
    "run.toml",
    "start.toml",
    "status.toml",
  ]);
  expect(await cadre("--home", ".gemini/agents", "trust")).toMatchObject({ exit: 0 });

  const started = await type(`/agent:start coder-agent "${PROMPT}"`);
  expect(started.stdout).toMatch(/Task (task_\w+) created for agent 'coder-agent' and is now pending\./);
  const id = /Task (task_\w+) created/.exec(started.stdout)?.[1] ?? "";
  const home = join(project, ".gemini/agents");
  const state = () => JSON.parse(readFileSync(join(home, "tasks", `${id}.json`), "utf8")) as Record<string, unknown>;
  expect(state()).toMatchObject({
    taskId: id,
    status: "pending",
    agent: "coder-agent",
    prompt: PROMPT,
    planFile: `.gemini/agents/plans/${id}_plan.md`,
    logFile: `.gemini/agents/logs/${id}.log`,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  });
  expect(readFileSync(join(home, "plans", `${id}_plan.md`), "utf8")).toContain(`# Plan for coder-agent - ${PROMPT}`);
  expect(existsSync(join(home, "workspace/math.py"))).toBe(false); // it does not run it

  const row = (status: string) =>
    new RegExp(`\\| ${id} \\| coder-agent \\| ${status} \\| .*Z \\| Create a python script.*\\.\\.\\. \\|`);
  expect((await type("/agent:status")).stdout).toMatch(row("pending"));

  expect((await type("/agent:run")).stdout).toContain(`Orchestrator finished task ${id}.`);
  expect(state()).toMatchObject({ status: "complete", completedAt: expect.any(String) });
  expect(readFileSync(join(home, "workspace/math.py"), "utf8")).toBe(CODE);
  expect(readFileSync(join(home, "logs", `${id}.log`), "utf8")).toContain("math.py");
  expect((await type("/agent:status")).stdout).toMatch(row("complete"));
  expect((await type("/agent:run")).stdout).toContain("No pending agent tasks found.");

  expect(await cadre("disconnect", "gemini")).toMatchObject({ exit: 0 });
  expect(existsSync(join(userHome, ".gemini/commands"))).toBe(false);
});
