// A host and Cadre on a machine of their own: a project with agents, a user, and a model that does as the test says.
import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TaskView } from "../../../src/schema/index.ts";
import type { Call } from "../model-protocols.ts";
import { type ModelServer, type Reply, startModel } from "../model-server.ts";
import { BIN } from "../programs.ts";
import { type HostName, type HostRun, PROGRAM_OF } from "./hosts.ts";
import { kill, killGroup, processesOf } from "./processes.ts";
import { resultsIn, toolsIn } from "./shown.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
const COMMAND_MS = 120_000;

/** What the model does next, by the results that it has been shown: a call, or its last words. */
export type Script = (results: readonly string[]) => ToolCall | string;
export type ToolCall = readonly [tool: string, args: Call["args"]];

export interface Ran {
  readonly exit: number | null;
  readonly said: string;
  readonly results: readonly string[];
  readonly tools: readonly string[];
}

export interface Running {
  readonly pid: number;
  readonly done: Promise<Ran>;
}

/** What is not a coding agent, so that its answers are known: each takes its prompt as input. */
const AGENTS = {
  hello: ["sed", "s/^/You said: /"],
  sleeper: ["sh", "-c", 'read -r seconds; sleep "$seconds"; echo "slept for $seconds"'],
  writer: ["sh", "-c", 'read -r lines; seq -f "line %06.0f of a long answer" 1 "$lines"'],
} as const;

/** The person of these tests has no terminal, and lets work take its time. */
const CONFIG = "security:\n  person_without_terminal: true\n  subagent_permissions:\n    max_runtime_mins: 40\n";

export type HostWorld = Awaited<ReturnType<typeof hostWorld>>;

export async function hostWorld(name: HostName) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), `cadre-host-${name}-`)));
  const place = { home: join(base, "home"), project: join(base, "project") };
  const bin = join(base, "bin");
  const program = PROGRAM_OF[name];
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode });
  };
  put(join(bin, "cadre"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, 0o755);
  put(join(place.home, ".cadre/config.yml"), CONFIG);
  for (const [path, text] of Object.entries(program.files(place))) put(path, text);
  for (const [agent, command] of Object.entries(AGENTS))
    put(
      join(place.project, ".cadre/agents", `${agent}.md`),
      `---\ndescription: ${agent} for tests\ncommand: ${JSON.stringify(command)}\ntimeout_mins: 30\nmax_output_kb: 400\n---\n`,
    );
  const env = { PATH: `${bin}:${BIN}:${process.env["PATH"] ?? ""}`, HOME: place.home, LANG: "C.UTF-8", NO_COLOR: "1" };
  const running = new Set<number>();

  const cadre = (...args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { cwd: place.project, env, timeout: COMMAND_MS };
      const child = execFile(join(bin, "cadre"), args, options, (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`cadre ${args.join(" ")}: ${error.message}\n${stderr}`)),
      );
      child.stdin?.end();
    });

  /** The host, from its start to its end, or until it is killed. */
  async function start(script: Script, { limitMs, endMs }: RunWishes): Promise<Running> {
    const scripted: { model?: ModelServer } = {};
    const model = await startModel([replyOf(script, name, () => scripted.model)], { ignoresSideCalls: true });
    scripted.model = model;
    const run: HostRun = { model: model.url, limitMs };
    const { args, env: own } = program.start(run, place);
    // A group of its own: a wrapper is ended with the program that it has started.
    const child = spawn(name, args, {
      cwd: place.project,
      env: { ...env, ...own },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { pid } = child;
    if (pid === undefined) throw new Error(`${name} could not be started`);
    running.add(pid);
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-20_000)));
    const end = setTimeout(() => killGroup(pid), endMs);
    const done = new Promise<Ran>((resolve) =>
      child.on("close", (exit) => {
        clearTimeout(end);
        running.delete(pid);
        const asked = model.asked.filter((one) => toolsIn(one).length > 0);
        const last = asked.at(-1);
        const results = last === undefined ? [] : resultsIn(last);
        const tools = [...new Set(asked.flatMap(toolsIn))];
        void model[Symbol.asyncDispose]().then(() => resolve({ exit, said, results, tools }));
      }),
    );
    return { pid, done };
  }

  await cadre("trust");
  await cadre("connect", name);
  return {
    name,
    program,
    project: place.project,
    cadre,
    start,
    run: async (script: Script, wishes: RunWishes): Promise<Ran> => (await start(script, wishes)).done,
    /** The newest task of an agent. */
    async latest(agent: string): Promise<TaskView> {
      const { data } = JSON.parse(await cadre("status", "--agent", agent, "--json")) as { data: TaskView[] };
      const [newest] = data;
      if (newest === undefined) throw new Error(`${agent} has no task`);
      return newest;
    },
    /** Processes that have all of these words in their command line and work for this world. */
    processes: (...words: readonly string[]) => processesOf(base, words),
    async close() {
      for (const pid of running) killGroup(pid);
      for (const pid of processesOf(base, [])) kill(pid);
      rmSync(base, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

export interface RunWishes {
  readonly limitMs?: number | undefined;
  /** When it is killed at the latest. */
  readonly endMs: number;
}

function replyOf(script: Script, name: HostName, model: () => ModelServer | undefined): Reply {
  const next = () => {
    const asked = model()?.asked.at(-1);
    return script(asked === undefined ? [] : resultsIn(asked));
  };
  // One question of the script per request, though two getters are read.
  let step: ReturnType<Script> = "";
  return {
    get text() {
      step = next();
      return typeof step === "string" ? step : "I call a tool.";
    },
    get calls() {
      return typeof step === "string" ? [] : [PROGRAM_OF[name].call(...step)];
    },
  };
}
