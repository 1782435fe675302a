// The command line as its users have it: a process, a folder, a home of its own.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { openCadre } from "../../src/app/index.ts";
import { trustFile } from "../../src/definitions/index.ts";
import { systemClock } from "../../src/platform/system-clock.ts";
import { fakeClock, memoryStore } from "../../src/testing/index.ts";
import { freshFolder } from "../fresh-folder.ts";
import { endResidentsIn } from "./end-residents.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const LIMIT_MS = 30_000;

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly project: string;
  readonly userHome: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A fresh project with these files, and a fresh home of the user. Trusted, unless told otherwise. */
export async function place(
  files: Readonly<Record<string, string>> = {},
  options: { trusted?: boolean } = {},
): Promise<Place> {
  const base = freshFolder("cli");
  onTestFinished(() => endResidentsIn(base));
  const [project, userHome] = [join(base, "project"), join(base, "home")];
  mkdirSync(join(project, ".cadre"), { recursive: true });
  mkdirSync(userHome);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  if (options.trusted !== false) await trustAsItIs(project, userHome);
  // A cache of compiled sources, shared by all tests: each of them starts many processes.
  const cache = join(tmpdir(), "cadre-compile-cache");
  return {
    project,
    userHome,
    env: { HOME: userHome, PATH: process.env["PATH"] ?? "", NO_COLOR: "1", NODE_COMPILE_CACHE: cache },
  };
}

/** As `cadre trust` does, for every home of the project: with all that its agents run and may do. */
async function trustAsItIs(project: string, userHome: string): Promise<void> {
  await trustFile(join(userHome, ".cadre", "trust.json"), systemClock).grant(project);
  const homes = [".cadre", ".gemini/agents"].map((name) => join(project, name));
  for (const home of homes.filter((one) => existsSync(join(one, "agents")))) {
    const store = memoryStore(fakeClock());
    // A home that cannot be opened is what some tests are about.
    await using cadre = await openCadre({ home, cwd: project, userHome, env: {}, store }).catch(() => null);
    await cadre?.call("trust.grant", { folder: project });
  }
}

export const agentFile = (name: string, tape: string, more = ""): string =>
  `---\nname: ${name}\ndescription: ${name} for tests\n${more}tape:\n${tape}\n---\n`;

export interface Running {
  readonly pid: number;
  readonly done: Promise<Ran>;
  kill(signal: NodeJS.Signals): void;
  /** Its stderr so far. */
  said(): string;
  /** Resolves when stderr or stdout holds this. */
  until(text: string): Promise<void>;
}

export function start({ project, env }: Place, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: project,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  const over = new Promise<void>((resolve) => child.on("exit", () => resolve()).on("error", () => resolve()));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await over; // until then it may write
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  const seen = () => watchers.forEach((watcher) => watcher());
  child.stdout.setEncoding("utf8").on("data", (text: string) => ((stdout += text), seen()));
  child.stderr.setEncoding("utf8").on("data", (text: string) => ((stderr += text), seen()));
  const done = new Promise<Ran>((resolve) => child.on("close", (exit) => resolve({ exit, stdout, stderr })));
  return {
    pid: child.pid ?? 0,
    done,
    kill: (signal) => void child.kill(signal),
    said: () => stderr,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (stdout.includes(text) || stderr.includes(text)) resolve();
        };
        watchers.add(look);
        look();
        void done.then(() => reject(new Error(`ended without "${text}":\n${stdout}\n${stderr}`)));
      }),
  };
}

/** The same, with this on its standard input. */
export function cadreWith(
  input: Uint8Array | string,
  { project, env }: Place,
  ...args: readonly string[]
): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: project,
    env,
    stdio: ["pipe", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => undefined).end(input); // it may have ended without reading all of it
  return new Promise((resolve) => child.on("close", (exit) => resolve({ exit, stdout, stderr })));
}

export const cadre = (where: Place, ...args: readonly string[]): Promise<Ran> => start(where, ...args).done;
